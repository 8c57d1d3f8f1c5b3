import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { ValueRow } from '../../../email/codec.ts'
import { fieldsOf } from '../../../email/fields.ts'
import { foldedAscii } from '../../../email/folded-ascii.ts'
import type { EmailFilter, EmailPortion, PortionRequest } from '../../../email/stored-email.ts'
import { LAST_EVENT, octetsRead, selected } from '../../email-columns.ts'
import { between, conditionsOf, matchCondition } from '../../email-conditions.ts'
import { type PlacedRow, placeOf, portionOf, rowsWithin } from '../../email-rows.ts'
import { NOTICES, noticeRow } from '../notice-rows.ts'
import type { Reads } from '../protocol.ts'
import { all, one } from '../rows.ts'
import { EVENT, eventOf, type LogRow } from './log.ts'

/** The most events after a number that are searched. */
const MAX_BEHIND = 20_000

const ofEmail = () => 'e'

/** `id` is null when nothing was looked at. */
interface LookedRow {
  looks: number
  place: number
  id: string | null
}

const PLACED = `SELECT e.num AS place, ${selected(fieldsOf('list'), ofEmail)}, ${LAST_EVENT.sqlite} AS lastEvent,
  ${octetsRead('list', ofEmail)} AS octets`

const WANTED = matchCondition({
  value: (name) => `:${name}`,
  folded: (text) => `lower(${text})`,
  has: (text, part) => `instr(${text}, ${part}) > 0`,
  hasOneOf: (text, parts) => `EXISTS (SELECT 1 FROM json_each(${parts}) p WHERE instr(${text}, p.value) > 0)`,
  isAmong: (text, list) => `${text} IN (SELECT value FROM json_each(${list}))`,
  email: 'e.num',
  lastEvent: LAST_EVENT.sqlite,
  isReady: 'EXISTS (SELECT 1 FROM contents k WHERE k.email = e.num AND k.raw IS NOT NULL)',
  live: "r.state IN ('waiting', 'sending', 'quarantined')",
})

const COMPANY = '(SELECT num FROM companies WHERE id = :companyId)'
const OWN = (company: string) => `(:companyId IS NULL OR ${company} = ${COMPANY})`

/**
 * Rows come in the order of `looked`, one by one as they are asked for: sorting would read the long values of all of
 * them.
 */
function walk(order: 'ASC' | 'DESC', whose: 'own' | 'all'): { looked: string; wanted: string } {
  const company = whose === 'own' ? `company = ${COMPANY} AND` : ''
  const looked = `SELECT num FROM emails WHERE ${company} num > :above AND num < :below
    ORDER BY num ${order} LIMIT :looks`
  return {
    looked: `SELECT l.looks, e.num AS place, e.id
      FROM (SELECT count(*) AS looks, ${order === 'ASC' ? 'max' : 'min'}(num) AS reached FROM (${looked})) l
      LEFT JOIN emails e ON e.num = l.reached`,
    wanted: `${PLACED} FROM (${looked}) AS looked CROSS JOIN emails e ON e.num = looked.num CROSS JOIN companies c ON c.num = e.company
      WHERE ${WANTED}`,
  }
}

/** Search in emails and events. Must be called inside a transaction. */
export function search(
  db: DatabaseSync,
): Pick<
  Reads,
  | 'emailAlong'
  | 'eventsAt'
  | 'walkEmails'
  | 'emailsAt'
  | 'emailsBegunAfter'
  | 'eventsOf'
  | 'readNoticeFacts'
  | 'settledEmailPlace'
> {
  const newest = db.prepare('SELECT max(num) AS num FROM emails')
  const walks = {
    own: { ASC: walkStatements('ASC', 'own'), DESC: walkStatements('DESC', 'own') },
    all: { ASC: walkStatements('ASC', 'all'), DESC: walkStatements('DESC', 'all') },
  }
  const atPlaces = db.prepare(
    `${PLACED} FROM json_each(:places) p CROSS JOIN emails e ON e.num = p.value CROSS JOIN companies c ON c.num = e.company
     WHERE ${OWN('e.company')} AND ${WANTED}`,
  )
  const eventsOf = db.prepare(
    `${EVENT} FROM json_each(?1) i CROSS JOIN emails e ON e.id = i.value CROSS JOIN events v ON v.email = e.num
       CROSS JOIN companies c ON c.num = v.company
       LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
     WHERE ?2 IS NULL OR v.recipient IS NULL OR lower(r.address) = ?2
     ORDER BY v.number`,
  )
  const along = { own: alongIn('company = (SELECT num FROM companies WHERE id = ?) AND'), all: alongIn('') }
  const eventsAt = db.prepare(
    `${EVENT} FROM json_each(?1) i CROSS JOIN events v ON v.number = i.value CROSS JOIN emails e ON e.num = v.email
       CROSS JOIN companies c ON c.num = v.company
       LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient
     WHERE (?2 IS NULL OR v.at >= ?2) AND (?3 IS NULL OR v.at < ?3) LIMIT ?4`,
  )
  const behind = db.prepare('SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE number > ? LIMIT ?)')
  const begun = { ASC: begunIn('ASC'), DESC: begunIn('DESC') }
  const notices = db.prepare(NOTICES)
  notices.setReturnArrays(true)

  /**
   * The shown fields are read only for the emails that are shown. `+` keeps the planner from the index of events by
   * email.
   */
  function begunIn(order: 'ASC' | 'DESC') {
    return db.prepare(
      `WITH looked AS MATERIALIZED (
         SELECT DISTINCT +email AS num FROM events
         WHERE number > :number AND ${OWN('company')} AND (recipient IS NULL AND type IN ('sent', 'scheduled') OR type IN (SELECT value FROM json_each(:events) UNION SELECT value FROM json_each(:hadEvents)))
           AND +email > :above AND +email < :below
       ), chosen AS MATERIALIZED (
         SELECT e.num FROM looked CROSS JOIN emails e ON e.num = looked.num WHERE ${WANTED}
         ORDER BY e.num ${order} LIMIT :limit
       )
       ${PLACED} FROM chosen CROSS JOIN emails e ON e.num = chosen.num CROSS JOIN companies c ON c.num = e.company`,
    )
  }

  function alongIn(company: string) {
    return {
      newestFirst: db.prepare(`SELECT id FROM emails WHERE ${company} num >= ? ORDER BY num LIMIT 1`),
      oldestFirst: db.prepare(`SELECT id FROM emails WHERE ${company} num <= ? ORDER BY num DESC LIMIT 1`),
    }
  }

  function walkStatements(order: 'ASC' | 'DESC', whose: 'own' | 'all') {
    const { looked, wanted } = walk(order, whose)
    return { looked: db.prepare(looked), wanted: db.prepare(wanted) }
  }

  return {
    // There is only one writer.
    settledEmailPlace: () => one<{ num: number | null }>(newest)!.num ?? 0,

    walkEmails(filter, { newestFirst, ...walk }) {
      const { companyId } = filter
      const statements = walks[companyId === null ? 'all' : 'own'][newestFirst ? 'DESC' : 'ASC']
      const range = { ...(companyId !== null && { companyId }), ...between(walk), looks: walk.looks }
      const { emails, full } = portion(statements.wanted, { ...range, ...bound(filter) }, walk)
      if (full) return { emails, reached: placeOf(emails), complete: false }
      const { looks, place, id } = statements.looked.get(range) as unknown as LookedRow
      return { emails, reached: id === null ? null : { place, id }, complete: looks < walk.looks }
    },

    emailsAt(filter, places, wanted) {
      const values = { companyId: filter.companyId, places: JSON.stringify(places), ...bound(filter) }
      return portion(atPlaces, values, wanted)
    },

    emailsBegunAfter(number, filter, { newestFirst, ...walk }) {
      const { events } = one<{ events: number }>(behind, number, MAX_BEHIND + 1)!
      if (events > MAX_BEHIND) return null
      if (events === 0) return portionOf([], walk)
      const { companyId } = filter
      const values = { companyId, number, ...between(walk), limit: walk.limit, ...bound(filter) }
      return portion(begun[newestFirst ? 'DESC' : 'ASC'], values, walk)
    },

    emailAlong(companyId, place, newestFirst) {
      const way = newestFirst ? 'newestFirst' : 'oldestFirst'
      const found =
        companyId === null
          ? one<{ id: string }>(along.all[way], place)
          : one<{ id: string }>(along.own[way], companyId, place)
      return found?.id ?? null
    },

    eventsAt(numbers, { since, until, newestFirst, limit }) {
      // Sorted beforehand, so that only as many rows are read as are wanted: sorting in the statement would read all.
      const ordered = [...numbers].sort((a, b) => (newestFirst ? b - a : a - b))
      return all<LogRow>(eventsAt, JSON.stringify(ordered), since, until, limit).map(eventOf)
    },

    eventsOf(emailIds, address) {
      const folded = address === null ? null : foldedAscii(address)
      return all<LogRow>(eventsOf, JSON.stringify(emailIds), folded).map(eventOf)
    },

    readNoticeFacts: (requests, octets) =>
      rowsWithin(
        notices.iterate(JSON.stringify(requests)) as Iterable<unknown> as Iterable<ValueRow>,
        octets,
        noticeRow,
      ),
  }
}

/** Reads rows until the portion is full. */
function portion(
  statement: StatementSync,
  values: Record<string, SQLInputValue>,
  wanted: Pick<PortionRequest, 'limit' | 'octets'>,
): EmailPortion {
  return portionOf(statement.iterate(values) as Iterable<unknown> as Iterable<PlacedRow>, wanted)
}

function bound(filter: EmailFilter): Record<string, SQLInputValue> {
  return conditionsOf(filter, (list) => JSON.stringify(list))
}
