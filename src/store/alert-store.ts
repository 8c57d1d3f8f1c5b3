/** Troubles about which alerts are sent: once when they begin, and once when they are over, by any node. */

export interface NewAlert {
  /** The same for the same trouble: `disk`, `domain:example.com`, `webhook:ID`. */
  id: string
  /** Null: it concerns the installation. */
  companyId: string | null
  title: string
  /** The finding, as a sentence. */
  found: string
  advice: string | null
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
  /** A trouble that is open keeps its beginning. One whose end has not been told is open again. */
  raiseAlert(alert: NewAlert, now: number): Promise<void>
  /** Forgets a trouble about which no alert was sent. */
  endAlert(id: string, now: number): Promise<void>
  /** Takes troubles whose beginning or end is to be told. */
  claimAlerts(claim: AlertClaim): Promise<Alert[]>
  /** The beginning was told; if it had been told before, the end was. */
  alertTold(alert: Alert, now: number): Promise<void>
}
