/** A sending domain and its DNS records at the time of an event. */

export interface DomainState {
  /** Unix ms. */
  createdAt: number
  status: 'pending' | 'verified'
  sending: 'inactive' | 'active' | 'suspended'
  /** The worst state of the records of the DKIM keys in use; null: never checked. */
  dkim: RecordSeen | null
  records: RecordState[]
}

type RecordSeen = 'right' | 'missing' | 'different' | 'unknown'

export interface RecordState {
  kind: string
  name: string
  type: 'TXT' | 'MX'
  value: string
  /** Of an MX record; null: it is none. */
  preference: number | null
  seen: RecordSeen | null
}
