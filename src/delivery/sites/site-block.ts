/** The blocks of a sites file, checked. */
import type { Finding } from '../judge/finding.ts'

/** How a session with a site must be protected, at least. */
export type SiteTls = 'opportunistic' | 'required' | 'verified'

export interface SiteLimits {
  /** The most sessions at once, of all nodes together. */
  sessions: number
  messagesPerSession: number
  /** The rates are those of all nodes together; null: no limit. */
  messagesPerMinute: number | null
  messagesPerHour: number | null
  recipientsPerTransaction: number
  tls: SiteTls
  /** The envelope of the next message may be written behind the final dot of the one before (RFC 2920 3.1). */
  envelopeBehindDot: boolean
  /** The most octets of a message; null: as the servers say (RFC 1870). */
  size: number | null
  /** The first pause (ms) after a refusal that is not the mail's fault; null: that of all sites. */
  backOff: number | null
}

/** The findings that a rule for replies may name. The others depend on more than the words of a reply. */
export const REPLY_FINDINGS = [
  'busy',
  'path',
  'sender',
  'patience',
  'mailbox',
  'server',
  'message',
  'recipient',
] as const satisfies readonly Finding[]

/** A site's own words, and what they mean there. */
export interface ReplyRule {
  /** A regular expression, searched for in the words of a reply in lower case. */
  pattern: string
  finding: (typeof REPLY_FINDINGS)[number]
  /** Ms to wait after such a reply, where it names no time. */
  backOff?: number
}

/** `[default]`, or what a `[[site]]` adds to it. */
export interface SiteTerms {
  limits: Partial<SiteLimits>
  replies: readonly ReplyRule[]
  /** Where the figures are from. */
  source: string | null
}

export interface SiteBlock extends SiteTerms {
  name: string
  /** Host names, `*.` standing for one label or more. */
  mx: readonly string[]
  /** Recipient domains that belong to the site, whichever hosts they name. */
  domains: readonly string[]
}

export interface SiteBlocks {
  general: SiteTerms
  sites: readonly SiteBlock[]
}
