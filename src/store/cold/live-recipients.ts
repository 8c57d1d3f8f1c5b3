/** Recipients that wait, are being sent, or are in quarantine, as statements select them. */
import { isEmailId } from '../../email/email-id.ts'
import type { EmailKey } from '../recipient-decision.ts'
import type { PortSteps, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/**
 * Live recipients `q` are rows of `queue` on PostgreSQL, and rows of `recipients` in a partial index in SQLite. Each is
 * the beginning of a WHERE clause.
 */
const LIVE = {
  postgres: {
    waiting: 'queue q WHERE q.lease IS NULL',
    quarantined: 'queue q WHERE q.lease = 0',
    held: 'queue q WHERE q.held_domain IS NOT NULL',
    canceled: 'queue q WHERE q.cancel',
  },
  sqlite: {
    waiting: "recipients q INDEXED BY recipients_waiting WHERE q.state = 'waiting'",
    quarantined: "recipients q INDEXED BY recipients_quarantined WHERE q.state = 'quarantined'",
    held: 'recipients q INDEXED BY recipients_held WHERE q.held_domain IS NOT NULL',
    canceled: 'recipients q INDEXED BY recipients_to_cancel WHERE q.cancel = 1',
  },
}

export function live({ engine }: Dialect, which: keyof (typeof LIVE)['sqlite']): string {
  return LIVE[engine][which]
}

export interface EmailPlace {
  key: EmailKey
  /** The number of the company. */
  company: number
}

const EMAIL = statement<EmailPlace>(
  ({ emailKey }) => `SELECT ${emailKey} AS key, company FROM emails WHERE id = $1`,
  'email-key',
)

/** An email's key and the number of its company. Not to be called in a transaction. */
export function* findEmail(port: ReadPort, id: string): PortSteps<EmailPlace | undefined> {
  return isEmailId(id) ? yield* port.look.one(EMAIL, id) : undefined
}

const EMAILS = statement<EmailPlace & { id: string }>(({ engine, emailKey, isAmong, rows }) => {
  const id = engine === 'postgres' ? 'id::text' : 'id'
  return `SELECT ${id}, ${emailKey} AS key, company FROM emails
    WHERE ${isAmong('id', `FROM ${rows('$1', { id: 'uuid' })}`)}`
}, 'email-keys')

/** The same of several emails, by id. Not to be called in a transaction. */
export function* findEmails(port: ReadPort, ids: readonly string[]): PortSteps<Map<string, EmailPlace>> {
  const wanted = [...new Set(ids)].filter(isEmailId).map((id) => ({ id }))
  const rows = wanted.length === 0 ? [] : yield* port.look.all(EMAILS, wanted)
  return new Map(rows.map((row) => [row.id, row]))
}
