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
   * The names of the channels that believe the problem to be open. Null: of all channels if `toldAt` is set (an earlier
   * version told them), otherwise of none.
   */
  toldTo: readonly string[] | null
  endedAt: number | null
}

/** Whether channels that were told of the beginning are to be told of the end. */
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
   * `event`: logged for the company in the same commit, with that beginning, unless the problem was open.
   */
  raiseAlert(alert: NewAlert, now: number, event?: NewCompanyEvent): Promise<void>
  /** Forgets a problem of which no channel was told. `event`: logged in the same commit, if the problem was open. */
  endAlert(id: string, now: number, event?: NewCompanyEvent): Promise<void>
  /** Takes problems whose beginning or end is to be told. */
  claimAlerts(claim: AlertClaim): Promise<Alert[]>
  /** Some channels were told of the beginning or the end; the others are told when the claim ends. */
  alertPartlyTold(alert: Alert, toldTo: readonly string[], now: number): Promise<void>
  /** The beginning was told to `toldTo`, or the end to all but these, and no other channel has to be told. */
  alertTold(alert: Alert, toldTo: readonly string[], now: number): Promise<void>
  /** The beginning of an open problem is to be told to further channels. */
  tellMore(alert: Alert): Promise<void>
}
