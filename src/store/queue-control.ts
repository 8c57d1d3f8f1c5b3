/** The queue as the operator and maintenance see it, and their requests to it. */
import type { HoldReason } from '../email/recipient.ts'

/** The stores look for a lane's last reply among this many recipients, the first due ones. */
export const REPLY_SEARCHED = 20

/** One line of the queue: the mail of one company for one recipient domain, and why it waits. */
export interface QueueLane {
  companyId: string
  domain: string
  waiting: number
  sending: number
  quarantined: number
  /** Unix ms of the earliest due time of a waiting recipient. */
  nextDueAt: number | null
  /** Unix ms: when the oldest email with a waiting recipient of the lane was accepted. */
  oldestAt: number | null
  /** The last reply to a waiting recipient of the lane; when there is none, the reason why one is in quarantine. */
  lastMessage: string | null
  /** The server that gave it, as far as it is known apart from the words. */
  lastServer: string | null
}

/** The waiting mail in a few numbers. */
export interface Backlog extends Pick<StoreCounts, 'waiting' | 'sending' | 'quarantined'> {
  /** The oldest waiting email, and when it was accepted (Unix ms); null when none waits. */
  oldest: { id: string; at: number } | null
}

export const NOTHING_WAITS: Backlog = {
  waiting: 0,
  sending: 0,
  quarantined: 0,
  oldest: null,
}

/** Disk space of the database in octets. `free`: null when unknown. */
export interface StorageUsage {
  engine: 'sqlite' | 'postgres'
  database: number
  free: number | null
}

export interface RetentionRequest {
  /** Unix ms: content (html, text, attachments, raw, captured) of finished emails created before is removed. */
  contentBefore: number
  /** Unix ms: finished emails created before are removed, with their events and attempts. */
  emailsBefore: number
  /** At most this many emails in one step. */
  limit: number
}

/** Emails of some companies and domains whose content is kept for a shorter time than that of others. */
export interface ShorterRetention {
  /** Ms that the content of a finished email is kept, by the id of its company. */
  companies: ReadonlyMap<string, number>
  /** Ms by the id of its domain. The shorter of the two periods applies. */
  domains: ReadonlyMap<string, number>
  /** Unix ms. */
  now: number
  /** The place where the previous step ended; null: from the oldest email. */
  after: string | null
  /** At most this many emails in one step. */
  limit: number
}

export interface ShorterRetentionStep {
  touched: number
  /** Emails up to this place were looked at: those that are finished and old enough have lost their content. */
  reached: string | null
  /** True: all emails after `reached` are younger than every period, or there are none. */
  done: boolean
}

export interface StoreCounts {
  waiting: number
  sending: number
  quarantined: number
  /** Waiting and past their due time. A store may stop counting these at 100,000. */
  due: number
}

export interface HoldRelease {
  /** Both in Unix ms. */
  now: number
  dueBefore: number
  /** Only mail that is held for this reason; absent: for any. */
  heldFor?: HoldReason
  /** Only mail to these recipient domains; absent: to any. */
  domains?: readonly string[]
}

export interface CancelCounts {
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
  /** The number of its recipients in quarantine. */
  recipients: number
  /** Unix ms. */
  since: number
  message: string | null
}

export interface QuarantineScope {
  companyId: string | null
  emailId: string | null
}

/** The scope of a pause. Null: every company, or every domain. */
export interface PauseScope {
  companyId: string | null
  /** Recipient domain, a lower-case A-label. */
  domain: string | null
  /** Only mail on the paths to this site; `domain` is null then. */
  site?: NamedSite
}

export interface NamedSite {
  key: string
  /** Its name for people, as it was when the pause began. */
  name: string
}

export interface Pause extends PauseScope {
  /** Unix ms. */
  since: number
  /** Unix ms: the pause ends by itself then. Null: only an operator ends it. */
  until: number | null
  /** The operator's words. */
  reason: string | null
}

export type NewPause = Omit<Pause, 'until' | 'reason'> & Partial<Pick<Pause, 'until' | 'reason'>>

/** The waiting recipients to try now. Null: of every company, at every domain, of every email. */
export interface RetryRequest extends Pick<PauseScope, 'companyId'> {
  /** Recipient domains, each once. */
  domains: readonly string[] | null
  emailId: string | null
  /** Retries only the recipient of `emailId` at this position. */
  position?: number
  /** `emailId` goes before all mail of its company to the same domain, even if it is already due. */
  goesFirst?: boolean
  /** Unix ms: their new due time. Recipients that are due by then are left alone, except those that go first. */
  now: number
  /** True: a member made the request, who may not cause a try of a closed path that companies share. */
  byMember?: boolean
}

export interface RetryCounts {
  /** Recipients that waited for another time and are due now. */
  retried: number
  /**
   * Recipients that keep the time scheduled by their sender. A request that names their email makes them due now as
   * well.
   */
  scheduled: number
  /** Recipients that stay because mail of their company, to their domain or to their site is paused. */
  paused: number
  /** Recipients that stay because their sending domain may not send. */
  held: number
}
