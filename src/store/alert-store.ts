/** Problems, which are announced to each channel once when they begin and once when they are over, by any node. */
import type { NewCompanyEvent } from '../email/company-event.ts'

export interface NewAlert {
  /** The same for the same problem: `disk`, `domain:example.com`, `webhook:ID`. */
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
  /** The first try of what is being announced now; null: nothing is. */
  triedSince: number | null
  /** Until then a node announces it, or a failure is waited out. */
  claimedUntil: number
}

export interface AnnouncementClaim {
  alertId: string
  /** The beginning of the problem, as it is announced. */
  since: number
  channel: string
  /** The end is announced. */
  isEnd: boolean
  now: number
  /** Until then no other claim succeeds. */
  until: number
}

export interface AlertStore {
  /** Open ones, and those whose end is not known to all channels that know the beginning. In the order of their ids. */
  alerts(): Promise<Alert[]>
  announcements(): Promise<Announcement[]>
  /**
   * A problem that is open keeps its beginning. One that was over and is still announced is open again: since now if a
   * channel knows of the end, because mail with the same beginning is not sent twice. `event`: logged for the company
   * in the same commit, with that beginning, unless the problem was open. Resolves with whether it was not.
   */
  raiseAlert(alert: NewAlert, now: number, event?: NewCompanyEvent): Promise<boolean>
  /**
   * Forgets a problem of which no channel knows. `event`: logged in the same commit, if the problem was open. Resolves
   * with whether it was.
   */
  endAlert(id: string, now: number, event?: NewCompanyEvent): Promise<boolean>
  /** Resolves with the time of the first try; null: it is not to be announced, or not by this node. */
  claimAnnouncement(claim: AnnouncementClaim): Promise<number | null>
  /** The channel knows it now. Does nothing if another claim has succeeded meanwhile. */
  endAnnouncement(claim: AnnouncementClaim, now: number): Promise<void>
  /** Forgets problems whose end needs no announcement. `before`: ends not announced since then are given up. */
  forgetAlerts(now: number, before: number): Promise<void>
}
