/** Problems about which alerts are sent: once when they begin, and once when they are over, by any node. */
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
  /** When its beginning was told, or given up; null: not yet to all channels. */
  toldAt: number | null
  /**
   * The names of the channels that need no telling of the beginning any more: they accepted it, or it was given up.
   * Null: of all channels if `toldAt` is set (an earlier version told them), otherwise of none.
   */
  toldTo: readonly string[] | null
  endedAt: number | null
}

/** Whether the problem is over, and a channel may still believe it open. */
export function isEndUntold({
  toldAt,
  toldTo,
  endedAt,
}: Pick<Alert, 'toldAt' | 'toldTo' | 'endedAt'>): boolean {
  return endedAt !== null && (toldAt !== null || toldTo !== null)
}

export interface AlertClaim {
  now: number
  /** Unix ms: until then no other node sends the alert. */
  until: number
  limit: number
}

export interface AlertStore {
  /** Open ones, and those whose end has not been told. In the order of their ids. */
  alerts(): Promise<Alert[]>
  /**
   * A problem that is open keeps its beginning. One whose end has not been told is open again, since its beginning.
   * `event`: logged for the company in the same commit, with that beginning, unless the problem was open. Resolves with
   * whether it was not.
   */
  raiseAlert(alert: NewAlert, now: number, event?: NewCompanyEvent): Promise<boolean>
  /**
   * Forgets a problem of which no channel was told. `event`: logged in the same commit, if the problem was open.
   * Resolves with whether it was.
   */
  endAlert(id: string, now: number, event?: NewCompanyEvent): Promise<boolean>
  /** Takes problems whose beginning or end has not been told to all channels. */
  claimAlerts(claim: AlertClaim): Promise<Alert[]>
  /** Some channels were told of the beginning or the end; the others are told when the claim ends. */
  alertPartlyTold(alert: Alert, toldTo: readonly string[], now: number): Promise<void>
  /**
   * Nothing is left to tell. `toldTo`: the channels that know of the beginning; after an end, those that were not told
   * of it.
   */
  alertTold(alert: Alert, toldTo: readonly string[], now: number): Promise<void>
  /** Has the beginning of an open problem told to the channels that lack it. */
  tellMore(alert: Alert): Promise<void>
}
