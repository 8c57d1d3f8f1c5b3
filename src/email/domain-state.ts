/** A sending domain and its DNS records at the time of an event. */

export interface DomainState {
  /** Unix ms. */
  createdAt: number
  status: 'pending' | 'verified'
  sending: 'inactive' | 'active' | 'suspended'
  /** The worst state of the records of the DKIM keys in use; null: never checked. */
  dkim: RecordResult | null
  records: RecordSnapshot[]
}

type RecordResult = 'right' | 'missing' | 'different' | 'unknown'

export interface RecordSnapshot {
  kind: string
  name: string
  type: 'TXT' | 'MX' | 'CNAME'
  value: string
  /** The preference of an MX record; null for other types. */
  preference: number | null
  seen: RecordResult | null
}
