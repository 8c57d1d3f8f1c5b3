/** The states of sites, as the delivering nodes report them. */
import type { TroubleKind } from '../email/trouble-kind.ts'

export interface SiteState {
  /** Sites with equal keys are the same one. */
  key: string
  name: string
  /** The provider whose limits hold, built-in or of POSTROAD_SITES; null: none names the site. */
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
    /** Octets of a message, and ms of the first pause; null: as for all sites. Absent as above. */
    size?: number | null
    backOff?: number | null
  }
  /** The lower limits that this node keeps after complaints of the servers; null: as much as `limits` allow. */
  lowered: { sessions: number | null; messagesPerMinute: number | null }
  used: { sessions: number; messagesLastMinute: number; messagesLastHour: number }
  /**
   * Unix ms: the last message to it, accepted or not; null: none within a day. Absent in the report of an older node.
   */
  lastMessageAt?: number | null
  /** Unix ms: the last message that it accepted; null: none is known. Absent as above. */
  lastAcceptedAt?: number | null
  /** The last trouble with its servers, also one that has passed; null: none is known. Absent as above. */
  lastTrouble?: SiteTrouble | null
  /** Set while the site is closed, and gets nothing but single tries; null: it is open. */
  closed: SiteClosure | null
  /** Further closures, each for part of the mail only, such as that of one company; absent: there are none. */
  others?: SiteClosure[]
  /** The state for each source. The limits hold for each source separately. */
  sources: SourceState[]
}

export interface SiteTrouble {
  /** Unix ms. */
  at: number
  kind: TroubleKind
  reason: string
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
  kind: TroubleKind
  reason: string
  /** The reason without the server's words, for companies whose own mail was not refused. */
  brief: string
  nextTryAt: number
  /** Id of the company whose mail was refused last; null: not known. */
  metBy: string | null
  /**
   * If the closure is for part of the mail only: the company (id and name), sending domain and recipient domain of that
   * mail; null: any.
   */
  companyId: string | null
  company: string | null
  sendingDomain: string | null
  recipientDomain: string | null
  /** Host names of the servers concerned, if they are only some of the site's; absent: all. */
  servers?: string
  /**
   * Name of the source whose path is closed; absent: an older node reported it, or the paths of all sources are closed.
   */
  source?: string
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
  /** Removes the reports of nodes that have ended, and returns them. */
  takePastReports(): Promise<SiteReport[]>
  /** The reports of the nodes that are in service, in the order of their tokens. */
  siteReports(): Promise<SiteReport[]>
}
