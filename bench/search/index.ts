/** The indexes that are compared with the digest: FTS5 of SQLite, and a GIN index of PostgreSQL. */
import type { IndexedEmail } from './documents.ts'

/** Emails of one commit, about as many as one step of the digest. */
export const STEP = 1_000

export interface Wanted {
  terms: string[]
  /** The beginning of a term. */
  prefix?: string | undefined
  /** Places: only those from the first to before the second. */
  from: number
  to: number
  limit: number
}

export interface SearchIndex {
  name: string
  /** One commit, durable like those of the service. `bounced` are emails of earlier steps that get one more term. */
  add(emails: IndexedEmail[], bounced: IndexedEmail[]): Promise<void>
  /** Called when everything was added. */
  finish(): Promise<void>
  /** Places, newest first. */
  find(wanted: Wanted): Promise<number[]>
  /** Octets on disk. */
  size(): Promise<number>
  close(): Promise<void>
}
