/** Where programs send over SMTP, as the page shows it. */
import { bracketed } from '../../network/host-port.ts'
import { isLoopback } from '../../network/private-address.ts'
import type { HttpCore } from '../core.ts'

export interface SmtpEndpoint {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  /** The company that gets mail without a login; null: a login is required. */
  inbox: string | null
}

/** The setting that turns SMTP on, and where programs send then. */
interface SmtpSuggestion {
  setting: string
  /** Something to know before: it needs a certificate, or everybody who reaches the address can send. */
  note: 'certificate' | 'open' | null
  endpoint: SmtpEndpoint
}

/** The person who sees the page. */
interface SmtpViewer {
  /** The URL of the service. */
  url: string
  /** Companies that the person may see. */
  companies: readonly { id: string }[]
}

/** On the host of the service's URL. */
export function smtpEndpoints({ deps }: HttpCore, reader: SmtpViewer): SmtpEndpoint[] {
  const { tls } = deps.settings
  return deps.submission().flatMap(({ host, port, implicitTls, withoutLogin }) => {
    // A port chosen anew at each start cannot be configured in a program.
    if (port === 0) return []
    const security = implicitTls ? 'tls' : tls === null || withoutLogin ? 'none' : 'starttls'
    const inbox = withoutLogin ? inboxOf(deps, reader) : null
    return [
      { host: withoutLogin && isLoopback(host) ? host : hostOf(reader), port, security, inbox } as const,
    ]
  })
}

/** Null: SMTP is on. */
export function smtpSuggestion({ deps }: HttpCore, reader: SmtpViewer): SmtpSuggestion | null {
  if (deps.submission().length > 0) return null
  const { delivery, listen, tls } = deps.settings
  const local = isLoopback(listen.host)
  if (delivery.kind === 'capture') {
    const [host, port] = local ? [listen.host, 1_026] : ['0.0.0.0', 1_025]
    const inbox = inboxOf(deps, reader)
    return {
      setting: listenAt(`smtp://${bracketed(host)}:${port}?login=off`),
      note: local ? null : 'open',
      endpoint: { host: local ? host : hostOf(reader), port, security: 'none', inbox },
    }
  }
  if (local && tls === null) {
    return {
      setting: listenAt(`smtp://${bracketed(listen.host)}:2587`),
      note: null,
      endpoint: { host: listen.host, port: 2_587, security: 'none', inbox: null },
    }
  }
  return {
    setting: listenAt('smtps://0.0.0.0:465'),
    note: tls === null ? 'certificate' : null,
    endpoint: { host: hostOf(reader), port: 465, security: 'tls', inbox: null },
  }
}

function inboxOf({ accounts }: HttpCore['deps'], { companies }: SmtpViewer): string | null {
  const oldest = accounts.directory.companies()[0]?.id
  return companies.find(({ id }) => id === oldest)?.id ?? null
}

function hostOf({ url }: SmtpViewer): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}

function listenAt(address: string): string {
  return `POSTROAD_SUBMISSION_LISTEN=${address}`
}
