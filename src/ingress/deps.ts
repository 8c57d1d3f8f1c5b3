/** The dependencies that HTTP and SMTP share. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import type { Settings, SmtpListener } from '../config/settings.ts'
import type { Intake } from '../intake/intake.ts'
import type { RemoteFiles } from '../intake/remote-file.ts'
import type { SystemMail } from '../intake/system-mail.ts'
import type { Workers } from '../workers/workers.ts'

export interface IngressDeps {
  settings: Settings
  /** The accounts that keys belong to. */
  accounts: Pick<LiveAccounts, 'directory' | 'catchUp' | 'look'>
  intake: Pick<
    Intake,
    'admit' | 'submit' | 'terms' | 'accept' | 'acceptAll' | 'judge' | 'refuse' | 'repeated'
  >
  /** Fetches attachments that are named by URL. */
  remoteFiles: Pick<RemoteFiles, 'fetch'>
  /** Mails people about the installation; null: POSTROAD_SYSTEM_FROM is not set. */
  systemMail: Pick<SystemMail, 'send'> | null
  /** The workers read bodies that are not small. */
  workers: Workers
  /** The listeners of SMTP submission that accept mail now. */
  submission(): readonly SmtpListener[]
  /** The registry of the counters, from which `/metrics` is rendered. */
  registry: Registry
  log: Logger
}
