import type { DatabaseSync } from 'node:sqlite'
import { LAST_EVENT_TYPES } from '../../../email/event.ts'
import { type FieldDeclaration, fieldsOf, recipientFieldsOf } from '../../../email/fields.ts'
import { octetsRead, selected } from '../../email-columns.ts'
import {
  ATTEMPTS_LOOKED_AT,
  type AttemptRow,
  bodiesSelected,
  type CapturedRow,
  type ContentRow,
  capturedOf,
  contentOf,
  type EventRow,
  historyOf,
  historyOutlineOf,
  OUTLINE_EVENTS,
  type OutlineAttemptRow,
  type RecipientRow,
  type StateRow,
  type StoredEmailRow,
  type SummaryRow,
  storedEmail,
  summaryOf,
  VALUES,
} from '../../email-rows.ts'
import type { RecipientOutline, RecipientValues, StoredOrigin } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, bodyRead, numbered, one } from '../rows.ts'

/** SQLite has no booleans. */
interface NumbersRow extends StoredEmailRow {
  num: number
  kept: number
}

/** The table of a field: the email `e`, or its content `k`. */
const tableOf = ({ large }: FieldDeclaration) => (large ? 'k' : 'e')

/** The type of the last event of the email `e`. */
export const LAST_EVENT = `(SELECT type FROM events
  WHERE email = e.num AND type IN (${LAST_EVENT_TYPES.map((type) => `'${type}'`).join(', ')}) ORDER BY number DESC LIMIT 1)`

const SUMMARY = `SELECT ${selected(fieldsOf('list'), tableOf)}, ${LAST_EVENT} AS lastEvent FROM emails e CROSS JOIN companies c ON c.num = e.company`

/** Columns of a recipient's progress. */
const PROGRESS = `state, attempts, due_at AS dueAt, postponed_since AS postponedSince, held_for AS heldFor, last_code AS lastCode,
  last_message AS lastMessage, server`

/** Emails as the API and the operator read them. */
export function emails(
  db: DatabaseSync,
): Direct<
  | 'emailOrigin'
  | 'listEmails'
  | 'readCaptured'
  | 'readCapturedCopy'
  | 'readContent'
  | 'readDialogue'
  | 'readEmail'
  | 'readHistory'
  | 'readOutline'
  | 'readRecipients'
  | 'readValues'
> {
  // The length of a value stands in the header of its row: no page of the value itself is read.
  const origin = db.prepare(
    `SELECT c.id AS companyId, e.domain_id AS domainId, e.key_id AS keyId, e.size, ${octetsRead('show', tableOf)} AS octets,
            ${octetsRead('outline', tableOf)} AS outlineOctets,
            octet_length(k.raw) AS rawOctets
     FROM emails e JOIN companies c ON c.num = e.company LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?`,
  )
  const whole = db.prepare(
    `SELECT e.num, ${selected(fieldsOf('show'), tableOf, bodyRead)}, ${LAST_EVENT} AS lastEvent, k.email IS NOT NULL AS kept
     FROM emails e JOIN companies c ON c.num = e.company LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?`,
  )
  const outline = db.prepare(
    `SELECT e.num, ${selected(fieldsOf('outline'), tableOf)}, ${LAST_EVENT} AS lastEvent, k.email IS NOT NULL AS kept
     FROM emails e JOIN companies c ON c.num = e.company LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?`,
  )
  const states = db.prepare('SELECT state, count(*) AS count FROM recipients WHERE email = ? GROUP BY state')
  const recipientOutlines = db.prepare(
    `SELECT position, ${selected(recipientFieldsOf('outline'), () => 'r')}, ${PROGRESS}
     FROM recipients r WHERE email = ? AND position >= ? AND position < ? ORDER BY position`,
  )
  const outlineEvents = db.prepare(numbered(OUTLINE_EVENTS))
  const outlineAttempts = db.prepare(
    `SELECT seq AS id, started_at AS startedAt, duration, server, tls, (
       SELECT json_group_array(value) FROM json_each(chosen.recipients) WHERE value >= ?2 AND value < ?3) AS recipients
     FROM (SELECT * FROM attempts WHERE email = ?1 ORDER BY seq DESC LIMIT ${ATTEMPTS_LOOKED_AT}) chosen
     WHERE EXISTS (SELECT 1 FROM json_each(chosen.recipients) WHERE value >= ?2 AND value < ?3)
     ORDER BY seq DESC LIMIT ?4`,
  )
  const dialogue = db.prepare(
    'SELECT dialogue FROM attempts WHERE email = (SELECT num FROM emails WHERE id = ?) AND seq = ?',
  )
  const values = db.prepare(numbered(VALUES))
  const content = db.prepare(
    `SELECT e.individual, e.headers, k.email IS NULL AS removed,
            ${bodiesSelected('k', (column) => `CAST(${column} AS BLOB)`, '?2')}
     FROM emails e LEFT JOIN contents k ON k.email = e.num WHERE e.id = ?1`,
  )
  const recipients = db.prepare(
    `SELECT position, ${selected(recipientFieldsOf('show'), () => 'r')}, ${PROGRESS}
     FROM recipients r WHERE email = ? ORDER BY position`,
  )
  const events = db.prepare('SELECT recipient, type, at, detail FROM events WHERE email = ? ORDER BY number')
  const attempts = db.prepare(
    `SELECT recipients, started_at AS startedAt, duration, server, tls, dialogue
     FROM attempts WHERE email = ? ORDER BY seq`,
  )
  const captured = db.prepare(
    `SELECT k.recipients, k.raw FROM captured k JOIN emails e ON e.num = k.email WHERE e.id = ? ORDER BY k.num`,
  )
  const capturedCopy = db.prepare(
    `SELECT k.recipients, k.raw FROM captured k JOIN emails e ON e.num = k.email
     WHERE e.id = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(k.recipients) WHERE value = ?2))
     ORDER BY coalesce(json_extract(k.recipients, '$[0]'), 0) LIMIT 1`,
  )
  const number = db.prepare('SELECT num FROM emails WHERE id = ?')
  const older = db.prepare('SELECT num FROM emails WHERE id < ? ORDER BY id DESC LIMIT 1')
  const list = db.prepare(`${SUMMARY} WHERE e.num < ? ORDER BY e.num DESC LIMIT ?`)
  const listOfCompany = db.prepare(
    `${SUMMARY} WHERE e.company = (SELECT num FROM companies WHERE id = ?) AND e.num < ? ORDER BY e.num DESC LIMIT ?`,
  )

  function find(id: string): NumbersRow | undefined {
    const row = one<Omit<NumbersRow, 'contentRemoved'>>(whole, id)
    return row && { ...row, contentRemoved: row.kept === 0 }
  }

  /**
   * The number below which all emails older than `id` lie. If the email is gone, its place is found by time: ids are
   * UUIDv7, in order except within one millisecond.
   */
  function endBefore(id: string): number {
    const own = one<{ num: number }>(number, id)?.num
    return own ?? (one<{ num: number }>(older, id)?.num ?? 0) + 1
  }

  return {
    emailOrigin: (id) => one<StoredOrigin>(origin, id) ?? null,

    readEmail(id) {
      const row = find(id)
      return row === undefined ? null : storedEmail(row)
    },

    readHistory(id) {
      const row = find(id)
      if (row === undefined) return null
      return historyOf(
        row,
        all<RecipientRow>(recipients, row.num),
        all<EventRow>(events, row.num),
        all<AttemptRow>(attempts, row.num),
      )
    },

    readOutline(id, { from, limit, eventOctets, attempts }) {
      const row = one<Omit<NumbersRow, 'contentRemoved'>>(outline, id)
      if (row === undefined) return null
      const { num } = row
      const end = from + limit
      return historyOutlineOf(
        { ...row, contentRemoved: row.kept === 0 },
        all<StateRow>(states, num),
        all<RecipientOutline>(recipientOutlines, num, from, end),
        all<EventRow>(outlineEvents, num, from, end, eventOctets),
        all<OutlineAttemptRow>(outlineAttempts, num, from, end, attempts),
      )
    },

    readRecipients(id, { from, limit }) {
      const num = one<{ num: number }>(number, id)?.num
      if (num === undefined) return []
      return all<RecipientOutline>(recipientOutlines, num, from, from + limit).map((row) => ({ ...row }))
    },

    readValues(id, { from, limit, octets }) {
      const num = one<{ num: number }>(number, id)?.num
      if (num === undefined) return []
      return all<RecipientValues>(values, num, from, from + limit, octets).map((row) => ({ ...row }))
    },

    readDialogue: (id, attempt) => one<{ dialogue: string }>(dialogue, id, attempt)?.dialogue ?? null,

    readContent(id, octets) {
      const row = one<Omit<ContentRow, 'contentRemoved'> & { removed: number }>(content, id, octets)
      return row === undefined ? null : contentOf({ ...row, contentRemoved: row.removed === 1 } as ContentRow)
    },

    readCapturedCopy(id, position) {
      const row = one<CapturedRow>(capturedCopy, id, position)
      return row === undefined ? null : capturedOf([row])[0]!
    },

    readCaptured: (id) => capturedOf(all<CapturedRow>(captured, id)),

    /** Newest first. `before` need not exist any more: the list goes on with older emails. */
    listEmails({ companyId, before, limit }) {
      const end = before === undefined ? Number.MAX_SAFE_INTEGER : endBefore(before)
      const rows =
        companyId === undefined
          ? all<SummaryRow>(list, end, limit)
          : all<SummaryRow>(listOfCompany, companyId, end, limit)
      return rows.map(summaryOf)
    },
  }
}
