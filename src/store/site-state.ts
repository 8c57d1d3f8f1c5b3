/** The states of sites, as the delivering nodes report them. */

export interface SiteState {
  /** Sites with equal keys are the same one. */
  key: string
  name: string
  /** The block whose limits hold; null: none names the site. */
  provider: string | null
  /** Its servers, as far as they are known. */
  hosts: string[]
  limits: {
    sessions: number
    messagesPerSession: number
    messagesPerMinute: number | null
    messagesPerHour: number | null
    recipientsPerTransaction: number
    tls: string
    /** Absent in the report of an older node. */
    envelopeBehindDot?: boolean
  }
  /** The present allowance of this node, after complaints of the servers; null: as much as the limits allow. */
  lowered: { sessions: number | null; messagesPerMinute: number | null }
  used: { sessions: number; messagesLastMinute: number; messagesLastHour: number }
  /** Nothing is sent, apart from single tries; null: it is open. */
  closed: SiteClosure | null
  /** The closures for the mail of single companies and less, beside that; absent: there are none. */
  others?: SiteClosure[]
  /** The same from each source, which has the limits for itself. */
  sources: SourceState[]
}

export interface SourceState extends Pick<SiteState, 'lowered' | 'used' | 'closed'> {
  /** Its first address; `default`: the system chooses. */
  name: string
  /** Its name in EHLO. */
  helo: string
  /** Absent: it is not warming up. */
  warmUp?: SiteWarmUp
}

/** The warm-up of a source at a site. */
export interface SiteWarmUp {
  /** From 1. */
  day: number
  /** Messages of the day, of all nodes. */
  messages: number
  /** Messages that it may send to the site on this day. */
  limit: number
}

export interface SiteClosure {
  /** Unix ms. */
  since: number
  /** The finding (delivery/judge/finding.ts). */
  kind: string
  reason: string
  /** The same for companies whose mail has not met it: without the words of the server. */
  brief: string
  nextTryAt: number
  /** Id of the company whose mail met it last; null: not known. */
  metBy: string | null
  /** The only mail concerned: of a company (id and name), a sending domain, to a recipient domain; null: of all. */
  companyId: string | null
  company: string | null
  sendingDomain: string | null
  recipientDomain: string | null
  /** Host names of the servers concerned, where they are only some of the site's; absent: all. */
  servers?: string
  /** The block list that the servers name. */
  list: { name: string; removal: string } | null
}

/** The states that one node has reported. */
export interface SiteReport {
  /** The token of the node. */
  node: number
  /** Unix ms, by the clock of the node. */
  at: number
  sites: SiteState[]
}

export interface SiteStateStore {
  /** Replaces the node's report. */
  reportSites(report: SiteReport): Promise<void>
  /** The reports of the nodes that are in service, in the order of their tokens. */
  siteReports(): Promise<SiteReport[]>
}
