/** Problems, which are announced to each channel once when they begin and once when they are over, by any node. */
import type { NewCompanyEvent } from '../email/company-event.ts'

export interface NewAlert {
  /** Equal for the same problem: `disk`, `domain:example.com`, `webhook:ID`. */
  id: string
  /** Null: it concerns the installation. */
  companyId: string | null
  title: string
  /** The finding, as a sentence. */
  found: string
  /** Advice for operators, and for people of the company, who have no shell on the machine. */
  advice: string | null
  memberAdvice: string | null
}

export interface Alert extends NewAlert {
  /** Unix ms. */
  since: number
  endedAt: number | null
}

/** The state of a channel for a problem. A beginning or end that could not be announced for a day counts as known. */
export interface Announcement {
  alertId: string
  /** The name of the channel. */
  channel: string
  knows: 'nothing' | 'beginning' | 'end'
  /** Unix ms of the first try to announce the present beginning or end; null: nothing is being announced. */
  triedSince: number | null
  /** Unix ms until which a node is announcing it, or waits after a failure. */
  claimedUntil: number
}

export interface AnnouncementClaim {
  alertId: string
  /** The beginning of the problem, as it is announced. */
  since: number
  channel: string
  /** True: the end is announced; false: the beginning. */
  isEnd: boolean
  now: number
  /** Until then no other claim succeeds. */
  until: number
}

export interface AlertStore {
  /** Open problems, and ended ones of which some channel knows the beginning but not the end. Sorted by id. */
  alerts(): Promise<Alert[]>
  announcements(): Promise<Announcement[]>
  /**
   * Opens a problem. One that is open already keeps its beginning. One that was over and is still being announced opens
   * again; if a channel knows of its end, it begins now, because mail with the same beginning is not sent twice.
   * `event`: logged for the company in the same commit, with that beginning, unless the problem was open. Resolves with
   * true unless the problem was open.
   */
  raiseAlert(alert: NewAlert, now: number, event?: NewCompanyEvent): Promise<boolean>
  /**
   * Ends a problem, and forgets it at once if no channel knows of it. `event`: logged in the same commit, if the
   * problem was open. Resolves with whether it was.
   */
  endAlert(id: string, now: number, event?: NewCompanyEvent): Promise<boolean>
  /** Resolves with the time of the first try; null: there is nothing to announce, or another node does it. */
  claimAnnouncement(claim: AnnouncementClaim): Promise<number | null>
  /** Notes that the channel has been told. Does nothing if another claim has succeeded meanwhile. */
  endAnnouncement(claim: AnnouncementClaim, now: number): Promise<void>
  /** Forgets problems whose end needs no announcement. `before`: ends not announced since then are given up. */
  forgetAlerts(now: number, before: number): Promise<void>
}
