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
  /** When its beginning was told; null: not yet. */
  toldAt: number | null
  endedAt: number | null
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
  /** Forgets a problem about which no alert was sent. `event`: logged in the same commit, if the problem was open. */
  endAlert(id: string, now: number, event?: NewCompanyEvent): Promise<void>
  /** Takes problems whose beginning or end is to be told. */
  claimAlerts(claim: AlertClaim): Promise<Alert[]>
  /** The beginning was told; if it had been told before, the end was. */
  alertTold(alert: Alert, now: number): Promise<void>
}
