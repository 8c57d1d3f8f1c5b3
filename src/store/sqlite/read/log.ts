import type { DatabaseSync } from 'node:sqlite'
import type { EventDetail, LoggedEvent } from '../../../email/event.ts'
import { mapOf } from '../../json-columns.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** Events looked at for one answer at most, wanted or not. */
const WINDOW = 5_000

type LogRow = Omit<LoggedEvent, 'detail'> & { detail: string | null }

/** The log of events, by number. To be called inside a transaction. */
export function log(db: DatabaseSync): Direct<'eventsAfter' | 'lastEventNumber'> {
  const counted = db.prepare("SELECT value FROM counters WHERE name = 'events'")
  const firstBehind = db.prepare('SELECT number FROM events WHERE number > ? ORDER BY number LIMIT 1')
  const wantedAmong = db.prepare(
    `SELECT v.number, e.id AS emailId, c.id AS companyId, v.recipient, r.address, v.type, v.at, v.detail
     FROM events v CROSS JOIN emails e ON e.num = v.email CROSS JOIN companies c ON c.num = v.company
       LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
     WHERE v.number BETWEEN ?1 AND ?2 AND (?3 IS NULL OR v.company = (SELECT num FROM companies WHERE id = ?3))
       AND (?4 IS NULL OR instr(?4, ' ' || v.type || ' ') > 0)
     ORDER BY v.number LIMIT ?5`,
  )
  const last = () => one<{ value: number }>(counted)!.value
  return {
    lastEventNumber: last,
    eventsAfter(cursor, { companyId, types }, limit) {
      // Retention may have left a long gap here.
      const first = one<{ number: number }>(firstBehind, cursor)?.number
      if (first === undefined) return { events: [], cursor: Math.max(cursor, last()) }
      const end = first + WINDOW - 1
      const wanted = types === undefined ? null : ` ${types.join(' ')} `
      const rows = all<LogRow>(wantedAmong, first, end, companyId ?? null, wanted, limit)
      const events = rows.map(({ detail, ...event }) => ({ ...event, detail: mapOf<EventDetail>(detail) }))
      return { events, cursor: events.length === limit ? events.at(-1)!.number : Math.min(end, last()) }
    },
  }
}
