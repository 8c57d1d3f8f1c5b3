/** What the HTTP side is given. It knows no driver and no queue: whoever puts the service together hands these in. */

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { LiveAccounts } from '../accounts/live-accounts.ts'
import type { Seal } from '../accounts/seal.ts'
import type { MemoryPlan } from '../config/memory-plan.ts'
import type { Settings } from '../config/settings.ts'
import type { Live } from '../events/live.ts'
import type { Searches } from '../events/searches.ts'
import type { Intake } from '../intake/intake.ts'
import type { RemoteFiles } from '../intake/remote-file.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Ask } from '../network/outgoing.ts'
import type { Caller } from '../operate/authority.ts'
import type { Operation } from '../operate/verb.ts'
import type { Store } from '../store/store.ts'
import type { Workers } from '../workers/workers.ts'

export interface HttpDeps {
  /** False on a node that takes no mail in: then only its own pages are served. */
  api: boolean
  settings: Settings
  plan: MemoryPlan
  monitor: LoopMonitor
  /** Who holds a key. */
  accounts: Pick<LiveAccounts, 'directory' | 'catchUp' | 'look'>
  intake: Pick<
    Intake,
    'admit' | 'submit' | 'terms' | 'accept' | 'acceptAll' | 'judge' | 'refuse' | 'repeated'
  >
  /** For attachments that are named by URL. */
  remoteFiles: Pick<RemoteFiles, 'fetch'>
  /** For bodies that are not small. */
  workers: Workers
  /** Emails and events are looked for, and counted. */
  searches: Pick<Searches, 'busiest' | 'emails' | 'events' | 'groups' | 'tags'>
  /** Who looks on is told what changes. */
  live: Pick<Live, 'watch'>
  /** To call verbs with, in the name of who asks, on the accounts as this node knows them. */
  operation(caller: Caller): Operation
  store: Pick<
    Store,
    | 'acceptInvitation'
    | 'addAudit'
    | 'addInvitation'
    | 'addPerson'
    | 'addSession'
    | 'addSuppressions'
    | 'beginAttempt'
    | 'cancelScheduled'
    | 'confirmMembership'
    | 'emailOrigin'
    | 'endSessions'
    | 'findInvitation'
    | 'findLink'
    | 'findPerson'
    | 'findPersonByIdentity'
    | 'findSession'
    | 'happened'
    | 'listFiles'
    | 'quotaUsed'
    | 'readContent'
    | 'readEmail'
    | 'readFile'
    | 'readRaw'
    | 'readRecipients'
    | 'readTold'
    | 'recipientCounts'
    | 'readValues'
    | 'reschedule'
    | 'sessions'
    | 'setMembership'
    | 'settleAudit'
    | 'settledEventNumber'
    | 'summaries'
    | 'takeBackAttempt'
    | 'takeInvitation'
    | 'takeLink'
    | 'touchSession'
    | 'updatePerson'
  >
  /** Of secrets at rest. */
  seal: Seal
  /** To servers elsewhere: to public addresses only, unless the settings say otherwise. */
  ask: Ask
  /** 32 octets for one purpose, made of the installation's secret key. */
  derive(purpose: string): Buffer
  /** Where the counters of the HTTP side are registered and `/metrics` is read from. */
  registry: Registry
  log: Logger
  /** Version of the program, shown on the first page. */
  version: string
  /**
   * Resolves when the service can accept mail now (a commit went through, and `room` octets were written); rejects when
   * it cannot.
   */
  ready(room: number): Promise<void>
}
