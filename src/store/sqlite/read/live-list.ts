import type { DatabaseSync } from 'node:sqlite'
import { fieldsOf } from '../../../email/fields.ts'
import type { RecipientState } from '../../../email/recipient.ts'
import { LAST_EVENT, octetsRead, selected } from '../../email-columns.ts'
import { type PlacedRow, portionOf } from '../../email-rows.ts'
import { CHANGED_LOOKS, RECIPIENTS_COUNTED } from '../../live-list-store.ts'
import { recipientCountsOf } from '../../recipient-counts.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** Reads for lists that refresh themselves. Must be called inside a transaction. */
export function liveList(db: DatabaseSync): Direct<'changedEmails' | 'summaries' | 'recipientCounts'> {
  const numberOf = db.prepare('SELECT num FROM companies WHERE id = ?')
  const idOf = db.prepare('SELECT id FROM emails WHERE num = ?')
  const falling = db.prepare(
    'SELECT number, email, company FROM events WHERE number > ? AND number <= ? ORDER BY number DESC LIMIT ?',
  )
  const listed = db.prepare(
    `SELECT ${selected(fieldsOf('list'), () => 'e')}, ${LAST_EVENT.sqlite} AS lastEvent, e.num AS place,
            ${octetsRead('list', () => 'e')} AS octets
     FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = ?`,
  )
  const states = db.prepare(
    `SELECT r.state, count(*) AS count, (SELECT max(position) + 1 FROM recipients WHERE email = e.num) AS recipients
     FROM emails e CROSS JOIN recipients r ON r.email = e.num AND r.position < ${RECIPIENTS_COUNTED}
     WHERE e.id = ? GROUP BY r.state`,
  )

  function* rowsOf(ids: readonly string[]): Generator<PlacedRow> {
    for (const id of ids) {
      const row = one<PlacedRow>(listed, id)
      if (row !== undefined) yield row
    }
  }

  return {
    changedEmails({ above, upTo, limit }, companyId) {
      const company = companyId === null ? null : one<{ num: number }>(numberOf, companyId)?.num
      if (company === undefined) return { ids: [], more: false }
      const found = new Set<number>()
      let looks = 0
      let more = false
      const rows = falling.iterate(above, upTo, CHANGED_LOOKS + 1) as Iterable<{
        email: number | null
        company: number
      }>
      for (const row of rows) {
        looks += 1
        if (looks > CHANGED_LOOKS) more = true
        if (more) break
        if (row.email === null || (company !== null && row.company !== company) || found.has(row.email))
          continue
        if (found.size === limit) more = true
        else found.add(row.email)
      }
      // Retention removes events after their emails.
      const ids = [...found].flatMap((num) => one<{ id: string }>(idOf, num)?.id ?? [])
      return { ids, more }
    },

    summaries: (ids, octets) =>
      portionOf(rowsOf(ids), { limit: ids.length, octets }).emails.map(({ email }) => email),

    recipientCounts: (ids) =>
      recipientCountsOf(
        ids.flatMap((id) =>
          all<{ state: RecipientState; count: number; recipients: number }>(states, id).map((row) => ({
            id,
            ...row,
          })),
        ),
      ),
  }
}
