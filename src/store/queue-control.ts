/** What the operator and the upkeep see of the queue, and ask of it. */

/** One line of the queue: what waits of one company for one recipient domain, and why. */
export interface QueueLane {
  companyId: string
  domain: string
  waiting: number
  sending: number
  quarantined: number
  /** Unix ms of the earliest due time of a waiting recipient. */
  nextDueAt: number | null
  /** Last reply seen by a waiting recipient of the lane; why one is in quarantine, where none waits. */
  lastMessage: string | null
}

/** What waits, in a few numbers. */
export interface Backlog extends Pick<StoreCounts, 'waiting' | 'sending' | 'quarantined'> {
  /** The oldest waiting email, and when it was accepted (Unix ms); null when none waits. */
  oldest: { id: string; at: number } | null
  /** Recipient domains for which most waits, those first. */
  destinations: WaitingDestination[]
  /** Companies that wait for anything, those with most of it first. */
  companies: WaitingCompany[]
}

export const NOTHING_WAITS: Backlog = {
  ...{ waiting: 0, sending: 0, quarantined: 0, oldest: null },
  ...{ destinations: [], companies: [] },
}

export interface WaitingPart extends Pick<QueueLane, 'waiting'> {
  /** Unix ms of the earliest due time of a waiting recipient. */
  nextDueAt: number
}

export interface WaitingDestination extends WaitingPart, Pick<QueueLane, 'domain'> {
  /** A reply that some of them had last. */
  lastMessage: string | null
}

export interface WaitingCompany extends WaitingPart {
  companyId: string
}

/** Of the disk that the database lies on, in octets; null: nobody here knows. */
export interface StorageUsed {
  engine: 'sqlite' | 'postgres'
  database: number
  free: number | null
}

export interface RetentionRequest {
  /** Unix ms: content (html, text, attachments, raw, captured) of finished emails created before is removed. */
  contentBefore: number
  /** Unix ms: the finished emails themselves, with events and attempts, created before are removed. */
  emailsBefore: number
  /** At most this many emails in one step. */
  limit: number
}

export interface StoreCounts {
  waiting: number
  sending: number
  quarantined: number
  /** Waiting and past their time. A store may stop counting these at 100,000. */
  due: number
}

/** Unix ms. */
export interface HeldRelease {
  now: number
  dueBefore: number
}

export interface Canceled {
  /** Recipients that were waiting or in quarantine: they are canceled. */
  canceled: number
  /** Recipients being sent: they end as canceled if their attempt leaves them waiting. */
  sending: number
}

export interface QuarantinedEmail {
  id: string
  companyId: string
  from: string
  subject: string
  /** So many of its recipients are in quarantine. */
  recipients: number
  /** Unix ms. */
  since: number
  message: string | null
}

export interface QuarantineScope {
  companyId: string | null
  emailId: string | null
}

/** The operator's word that mail stays where it is. Null: of every company, to every domain. */
export interface PauseScope {
  companyId: string | null
  /** Recipient domain, a lower-case A-label. */
  domain: string | null
}

export interface Pause extends PauseScope {
  /** Unix ms. */
  since: number
}

/** Which waiting recipients are to be tried now. Null: of every company, at every domain, of every email. */
export interface RetryRequest extends PauseScope {
  emailId: string | null
  /** Unix ms: their new due time. Those that are due by then are left alone. */
  now: number
  /** At a member's word, which does not have a closed path tried that others share. */
  byMember?: boolean
}

export interface Retried {
  /** Recipients that waited for another time and are due now. */
  retried: number
  /** Left for the time their sender asked for. Where the email is named they are not: they are tried now. */
  scheduled: number
  /** Left because mail of their company or to their domain is paused. */
  paused: number
  /** Left because their sending domain may not send. */
  held: number
}
