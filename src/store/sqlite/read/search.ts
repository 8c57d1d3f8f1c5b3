import type { DatabaseSync } from 'node:sqlite'
import { fieldsOf } from '../../../email/fields.ts'
import type { EmailFilter } from '../../../email/stored-email.ts'
import { selected } from '../../email-columns.ts'
import { conditionsOf, foldedAscii } from '../../email-conditions.ts'
import {
  type PlacedRow,
  placedOf,
  placeOf,
  type ToldFileRow,
  type ToldRecipientRow,
  toldOfRows,
} from '../../email-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'
import { LAST_EVENT } from './emails.ts'
import { EVENT, eventOf, type LogRow } from './log.ts'

/** Events behind a number that are looked through at most. */
const MOST_BEHIND = 20_000

const ofEmail = () => 'e'

/** `id` is null when nothing was looked at. */
interface LookedRow {
  looks: number
  place: number
  id: string | null
}

const PLACED = `SELECT e.num AS place, ${selected(fieldsOf('list'), ofEmail)}, ${LAST_EVENT} AS lastEvent`

/** Of the email `e`. */
const WANTED = `(:domainId IS NULL OR e.domain_id = :domainId)
  AND (:since IS NULL OR e.created_at >= :since) AND (:until IS NULL OR e.created_at < :until)
  AND (:from IS NULL OR instr(lower(e.header_from), :from) > 0)
  AND (:subject IS NULL OR instr(lower(e.subject), :subject) > 0)
  AND (:tag IS NULL OR instr(e.tags, :tag) > 0)
  AND (:to IS NULL OR EXISTS (
    SELECT 1 FROM recipients r WHERE r.email = e.num AND lower(r.address) = :to))
  AND (:events IS NULL OR ${LAST_EVENT} IN (SELECT value FROM json_each(:events)))`

const COMPANY = '(SELECT num FROM companies WHERE id = :companyId)'

function walk(order: 'ASC' | 'DESC'): { looked: string; wanted: string } {
  const looked = `SELECT num FROM emails WHERE company = ${COMPANY} AND num > :above AND num < :below
    ORDER BY num ${order} LIMIT :looks`
  return {
    looked: `SELECT l.looks, e.num AS place, e.id
      FROM (SELECT count(*) AS looks, ${order === 'ASC' ? 'max' : 'min'}(num) AS reached FROM (${looked})) l
      LEFT JOIN emails e ON e.num = l.reached`,
    wanted: `WITH looked AS MATERIALIZED (${looked})
      ${PLACED} FROM looked CROSS JOIN emails e ON e.num = looked.num CROSS JOIN companies c ON c.num = e.company
      WHERE ${WANTED} ORDER BY looked.num ${order} LIMIT :limit`,
  }
}

/** What is looked for among emails and events. To be called inside a transaction. */
export function search(
  db: DatabaseSync,
): Direct<
  | 'emailAlong'
  | 'emailPlace'
  | 'eventsAt'
  | 'walkEmails'
  | 'emailsAt'
  | 'emailsBegunAfter'
  | 'eventsOf'
  | 'readTold'
  | 'settledEmailPlace'
> {
  const number = db.prepare('SELECT num FROM emails WHERE id = ?')
  const older = db.prepare('SELECT num FROM emails WHERE id < ? ORDER BY id DESC LIMIT 1')
  const newest = db.prepare('SELECT max(num) AS num FROM emails')
  const walks = { ASC: prepared('ASC'), DESC: prepared('DESC') }
  const atPlaces = db.prepare(
    `${PLACED} FROM json_each(:places) p CROSS JOIN emails e ON e.num = p.value CROSS JOIN companies c ON c.num = e.company
     WHERE e.company = ${COMPANY} AND ${WANTED} ORDER BY e.num DESC`,
  )
  const eventsOf = db.prepare(
    `${EVENT} FROM json_each(?1) i CROSS JOIN emails e ON e.id = i.value CROSS JOIN events v ON v.email = e.num
       CROSS JOIN companies c ON c.num = v.company
       LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
     WHERE ?2 IS NULL OR v.recipient IS NULL OR lower(r.address) = ?2
     ORDER BY v.number`,
  )
  const along = {
    newestFirst: db.prepare(
      `SELECT id FROM emails WHERE company = (SELECT num FROM companies WHERE id = ?) AND num >= ? ORDER BY num LIMIT 1`,
    ),
    oldestFirst: db.prepare(
      `SELECT id FROM emails WHERE company = (SELECT num FROM companies WHERE id = ?) AND num <= ? ORDER BY num DESC LIMIT 1`,
    ),
  }
  const eventsAt = { ASC: eventsIn('ASC'), DESC: eventsIn('DESC') }
  const behind = db.prepare('SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE number > ? LIMIT ?)')
  const begun = { ASC: begunIn('ASC'), DESC: begunIn('DESC') }
  const told = db.prepare(
    `SELECT ${selected(fieldsOf('tell'), ofEmail)}
     FROM json_each(?) i CROSS JOIN emails e ON e.id = i.value CROSS JOIN companies c ON c.num = e.company`,
  )
  const files = db.prepare(
    `SELECT e.id AS emailId, a.filename, a.content_type AS contentType, length(b.bytes) AS size
     FROM json_each(?) i CROSS JOIN emails e ON e.id = i.value CROSS JOIN attachments a ON a.email = e.num
       CROSS JOIN blobs b ON b.num = a.blob ORDER BY e.num, a.position`,
  )
  const variables = db.prepare(
    `SELECT e.id AS emailId, r.position AS recipient, r.variables
     FROM json_each(?) i CROSS JOIN emails e ON e.id = i.value ->> 'emailId'
       CROSS JOIN recipients r ON r.email = e.num AND r.position = i.value ->> 'recipient'
     WHERE r.variables IS NOT NULL`,
  )

  function eventsIn(order: 'ASC' | 'DESC') {
    return db.prepare(
      `WITH chosen AS MATERIALIZED (
         SELECT v.number FROM json_each(?1) i CROSS JOIN events v ON v.number = i.value
         WHERE (?2 IS NULL OR v.at >= ?2) AND (?3 IS NULL OR v.at < ?3) ORDER BY v.number ${order} LIMIT ?4
       )
       ${EVENT} FROM chosen CROSS JOIN events v ON v.number = chosen.number CROSS JOIN emails e ON e.num = v.email
         CROSS JOIN companies c ON c.num = v.company
         LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
       ORDER BY v.number ${order}`,
    )
  }

  /** What is shown of an email is read of those alone that are shown. `+`: by no index over the emails of events. */
  function begunIn(order: 'ASC' | 'DESC') {
    return db.prepare(
      `WITH looked AS MATERIALIZED (
         SELECT DISTINCT +email AS num FROM events
         WHERE number > :number AND company = ${COMPANY} AND recipient IS NULL AND type IN ('sent', 'scheduled')
           AND +email > :above AND +email < :below
       ), chosen AS MATERIALIZED (
         SELECT e.num FROM looked CROSS JOIN emails e ON e.num = looked.num WHERE ${WANTED} ORDER BY e.num ${order} LIMIT :limit
       )
       ${PLACED} FROM chosen CROSS JOIN emails e ON e.num = chosen.num CROSS JOIN companies c ON c.num = e.company
       ORDER BY chosen.num ${order}`,
    )
  }

  function prepared(order: 'ASC' | 'DESC') {
    const { looked, wanted } = walk(order)
    return { looked: db.prepare(looked), wanted: db.prepare(wanted) }
  }

  return {
    emailPlace(id) {
      const own = one<{ num: number }>(number, id)?.num
      return own ?? (one<{ num: number }>(older, id)?.num ?? 0) + 0.5
    },

    // One writes at a time.
    settledEmailPlace: () => one<{ num: number | null }>(newest)!.num ?? 0,

    walkEmails(filter, { above, below, newestFirst, looks, limit }) {
      const statements = walks[newestFirst ? 'DESC' : 'ASC']
      const range = {
        companyId: filter.companyId,
        ...between(above, below),
        looks,
      }
      const rows = statements.wanted.all({ ...range, ...bound(filter), limit }) as unknown as PlacedRow[]
      const emails = rows.map(placedOf)
      if (emails.length === limit) return { emails, reached: placeOf(emails), complete: false }
      const { looks: looked, place, id } = statements.looked.get(range) as unknown as LookedRow
      return { emails, reached: id === null ? null : { place, id }, complete: looked < looks }
    },

    emailsAt(filter, places) {
      const values = { companyId: filter.companyId, places: JSON.stringify(places), ...bound(filter) }
      return (atPlaces.all(values) as unknown as PlacedRow[]).map(placedOf)
    },

    emailsBegunAfter(number, filter, { above, below, newestFirst, limit }) {
      const { events } = one<{ events: number }>(behind, number, MOST_BEHIND + 1)!
      if (events > MOST_BEHIND) return null
      if (events === 0) return []
      const values = {
        companyId: filter.companyId,
        number,
        ...between(above, below),
        limit,
        ...bound(filter),
      }
      const rows = begun[newestFirst ? 'DESC' : 'ASC'].all(values) as unknown as PlacedRow[]
      return rows.map(placedOf)
    },

    emailAlong(companyId, place, newestFirst) {
      const statement = along[newestFirst ? 'newestFirst' : 'oldestFirst']
      return one<{ id: string }>(statement, companyId, place)?.id ?? null
    },

    eventsAt(numbers, { since, until, newestFirst, limit }) {
      const statement = eventsAt[newestFirst ? 'DESC' : 'ASC']
      return all<LogRow>(statement, JSON.stringify(numbers), since, until, limit).map(eventOf)
    },

    eventsOf(emailIds, address) {
      const folded = address === null ? null : foldedAscii(address)
      return all<LogRow>(eventsOf, JSON.stringify(emailIds), folded).map(eventOf)
    },

    readTold(emailIds, recipients) {
      const ids = JSON.stringify(emailIds)
      return toldOfRows(
        all<object>(told, ids),
        all<ToldFileRow>(files, ids),
        recipients.length === 0 ? [] : all<ToldRecipientRow>(variables, JSON.stringify(recipients)),
      )
    },
  }
}

function bound(filter: EmailFilter) {
  const { events, ...conditions } = conditionsOf(filter)
  return { ...conditions, events: events === null ? null : JSON.stringify(events) }
}

function between(above: number, below: number): { above: number; below: number } {
  return { above: Math.floor(above), below: Math.ceil(Math.min(below, Number.MAX_SAFE_INTEGER)) }
}
