import { isEmailId } from '../../../email/email-id.ts'
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
import { spanOf } from '../../event-numbers.ts'
import type { SearchStore } from '../../store.ts'
import { int4s, int8s, texts, uuids } from '../arrays.ts'
import type { Statement, Value } from '../database.ts'
import { eventOf, type PageRow } from '../events.ts'
import type { Parts } from '../parts.ts'
import { reachOf } from '../reach.ts'
import { foldedIn } from '../rows.ts'
import { LAST_EVENT } from './emails.ts'

/** Events behind a number that are looked through at most. */
const MOST_BEHIND = 20_000

const ofEmail = () => 'e'

const PLACED = `SELECT e.seq AS place, ${selected(fieldsOf('list'), ofEmail)}, ${LAST_EVENT} AS "lastEvent"`

/** Of the email `e`, with the values of `bound` from $2 on. */
const WANTED = `($2::text IS NULL OR e.domain_id = $2)
  AND ($3::int8 IS NULL OR e.created_at >= $3) AND ($4::int8 IS NULL OR e.created_at < $4)
  AND ($5::text IS NULL OR strpos(${foldedIn('e.header_from')}, $5) > 0)
  AND ($6::text IS NULL OR strpos(${foldedIn('e.subject')}, $6) > 0)
  AND ($7::text IS NULL OR strpos(e.tags, $7) > 0)
  AND ($8::text IS NULL OR EXISTS (
    SELECT 1 FROM recipients r WHERE r.email = e.id AND ${foldedIn('r.address')} = $8))
  AND ($9::text[] IS NULL OR ${LAST_EVENT} = ANY ($9))`

/** Looked at are $12 between $10 and $11. */
const LOOKED = (order: Order) => `FROM emails e WHERE e.company = $1 AND e.seq > $10 AND e.seq < $11
    ORDER BY e.seq ${order} LIMIT $12`

/**
 * One after the other until enough are wanted: the outer join keeps their order, so that nothing is sorted and no more
 * are read.
 */
const walk = (order: Order): Statement => ({
  name: `walk-emails-${order}`,
  text: `${PLACED} FROM (SELECT e.* ${LOOKED(order)}) AS e LEFT JOIN companies c ON c.num = e.company
    WHERE ${WANTED} ORDER BY e.seq ${order} LIMIT $13`,
})

/** How many those are, and which is the last. */
const walked = (order: Order): Statement => ({
  name: `walked-emails-${order}`,
  text: `WITH looked AS MATERIALIZED (
      SELECT e.seq FROM emails e WHERE e.company = $1 AND e.seq > $2 AND e.seq < $3 ORDER BY e.seq ${order} LIMIT $4
    )
    SELECT l.looks, e.seq AS place, e.id::text AS id
    FROM (SELECT count(*) AS looks, ${order === 'ASC' ? 'max' : 'min'}(seq) AS reached FROM looked) AS l
      LEFT JOIN emails e ON e.company = $1 AND e.seq = l.reached`,
})

const WALKS = { ASC: walk('ASC'), DESC: walk('DESC') }
const WALKED = { ASC: walked('ASC'), DESC: walked('DESC') }

const AT: Statement = {
  name: 'emails-at',
  text: `${PLACED} FROM emails e LEFT JOIN companies c ON c.num = e.company
    WHERE e.company = $1 AND e.seq = ANY ($10::int8[]) AND ${WANTED} ORDER BY e.seq DESC`,
}

/**
 * Of the emails that begin behind $10. By `seq + 0`, which is in no index: emails are not walked through in their order
 * until enough of them begin there.
 */
const begun = (order: Order): Statement => ({
  name: `emails-begun-${order}`,
  text: `WITH begun AS MATERIALIZED (
      SELECT DISTINCT v.email FROM events v
      WHERE v.number > $10 AND v.company = $1 AND v.recipient IS NULL AND v.type IN ('sent', 'scheduled')
    )
    ${PLACED} FROM begun JOIN emails e ON e.id = begun.email LEFT JOIN companies c ON c.num = e.company
    WHERE e.seq + 0 > $11 AND e.seq + 0 < $12 AND ${WANTED} ORDER BY e.seq + 0 ${order} LIMIT $13`,
})

const BEGUN = { ASC: begun('ASC'), DESC: begun('DESC') }

const MANY_BEHIND = 'SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE number > $1 LIMIT $2) AS v'

const PLACE: Statement = {
  name: 'email-place',
  text: `SELECT e.id::text AS "foundId", e.seq FROM emails e WHERE e.id <= $1::uuid ORDER BY e.id DESC LIMIT 1`,
}

const EVENT =
  'SELECT v.number, v.email::text AS "emailId", c.id AS "companyId", v.recipient, r.address, v.type, v.at, v.detail'
const OF_EVENT = `LEFT JOIN companies c ON c.num = v.company
    LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient`

/** `together`: most of what lies between the first and the last ($5, $6), which is read at one go. */
function eventsAt(order: Order, how: 'together' | 'apart'): Statement {
  const among =
    how === 'apart'
      ? 'number = ANY ($1::int8[]) AND $5::int8 <= $6::int8'
      : 'number BETWEEN $5 AND $6 AND number + 0 = ANY ($1::int8[])'
  return {
    name: `events-at-${how}-${order}`,
    text: `${EVENT} FROM (
      SELECT * FROM events WHERE ${among} AND ($2::int8 IS NULL OR at >= $2) AND ($3::int8 IS NULL OR at < $3)
      ORDER BY number ${order} LIMIT $4
    ) AS v ${OF_EVENT} ORDER BY v.number ${order}`,
  }
}

const EVENTS_AT = {
  together: { ASC: eventsAt('ASC', 'together'), DESC: eventsAt('DESC', 'together') },
  apart: { ASC: eventsAt('ASC', 'apart'), DESC: eventsAt('DESC', 'apart') },
}

const EVENTS_OF: Statement = {
  name: 'events-of',
  text: `${EVENT} FROM events v ${OF_EVENT} WHERE v.email = ANY ($1::uuid[])
  AND ($2::text IS NULL OR v.recipient IS NULL OR ${foldedIn('r.address')} = $2) ORDER BY v.number + 0`,
}

type Order = 'ASC' | 'DESC'

const ALONG = {
  newestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq >= $2 ORDER BY seq LIMIT 1`,
  oldestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
}

const TOLD: Statement = {
  name: 'told-emails',
  text: `SELECT ${selected(fieldsOf('tell'), ofEmail)}
  FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = ANY ($1::uuid[])`,
}

const FILES: Statement = {
  name: 'told-files',
  text: `SELECT a.email::text AS "emailId", a.filename, a.content_type AS "contentType", octet_length(b.bytes) AS size
  FROM attachments a JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
  WHERE a.email = ANY ($1::uuid[]) ORDER BY a.email, a.position`,
}

const VARIABLES: Statement = {
  name: 'told-variables',
  text: `SELECT r.email::text AS "emailId", r.position AS recipient, r.variables
  FROM unnest($1::uuid[], $2::int4[]) AS t (email, position)
    JOIN recipients r ON r.email = t.email AND r.position = t.position
  WHERE r.variables IS NOT NULL`,
}

/** `id` is null when nothing was looked at. */
interface WalkedRow {
  looks: number
  place: number
  id: string | null
}

/** What is looked for among emails and events. */
export function search(parts: Parts): Omit<SearchStore, 'eventsUpTo' | 'settledEventNumber'> {
  const { database, companies } = parts
  const { reachSoon } = reachOf('emails_seq_seq', parts)
  return {
    settledEmailPlace: reachSoon,

    async emailPlace(id) {
      if (!isEmailId(id)) return 0
      const [row] = await database.read<{ foundId: string; seq: number }>(PLACE, [id])
      if (row === undefined) return 0.5
      return row.foundId === id ? row.seq : row.seq + 0.5
    },

    async walkEmails(filter, { above, below, newestFirst, looks, limit }) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null) return { emails: [], reached: null, complete: true }
      const order = newestFirst ? 'DESC' : 'ASC'
      const range = [...between(above, below), looks]
      const emails = (
        await database.read<PlacedRow>(WALKS[order], [company, ...bound(filter), ...range, limit])
      ).map(placedOf)
      if (emails.length === limit) return { emails, reached: placeOf(emails), complete: false }
      const [row] = await database.read<WalkedRow>(WALKED[order], [company, ...range])
      const { looks: looked, place, id } = row!
      return { emails, reached: id === null ? null : { place, id }, complete: looked < looks }
    },

    async emailsAt(filter, places) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null || places.length === 0) return []
      const values = [company, ...bound(filter), int8s([...places])]
      return (await database.read<PlacedRow>(AT, values)).map(placedOf)
    },

    async emailsBegunAfter(number, filter, { above, below, newestFirst, limit }) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null) return []
      const [behind] = await database.read<{ events: number }>(MANY_BEHIND, [number, MOST_BEHIND + 1])
      if (behind!.events > MOST_BEHIND) return null
      if (behind!.events === 0) return []
      const values = [company, ...bound(filter), number, ...between(above, below), limit]
      return (await database.read<PlacedRow>(BEGUN[newestFirst ? 'DESC' : 'ASC'], values)).map(placedOf)
    },

    async emailAlong(companyId, place, newestFirst) {
      const company = await companies.filter(companyId)
      if (company === undefined || company === null) return null
      const statement = ALONG[newestFirst ? 'newestFirst' : 'oldestFirst']
      const [row] = await database.read<{ id: string }>(statement, [company, place])
      return row?.id ?? null
    },

    async eventsAt(numbers, { since, until, newestFirst, limit }) {
      const times = [since, until].map((at) => (at === null ? null : Math.ceil(at)))
      const { first, last, together } = spanOf(numbers)
      const statement = EVENTS_AT[together ? 'together' : 'apart'][newestFirst ? 'DESC' : 'ASC']
      const values = [int8s([...numbers]), ...times, limit, first, last]
      return (await database.read<PageRow>(statement, values)).map(eventOf)
    },

    async eventsOf(emailIds, address) {
      const ids = uuids(emailIds.filter(isEmailId))
      const folded = address === null ? null : foldedAscii(address)
      return (await database.read<PageRow>(EVENTS_OF, [ids, folded])).map(eventOf)
    },

    async readTold(emailIds, recipients) {
      const ids = uuids(emailIds)
      const positions = [
        uuids(recipients.map((of) => of.emailId)),
        int4s(recipients.map((of) => of.recipient)),
      ]
      return await database.snapshot(async (session) =>
        toldOfRows(
          await session.run<object>(TOLD, [ids]),
          await session.run<ToldFileRow>(FILES, [ids]),
          recipients.length === 0 ? [] : await session.run<ToldRecipientRow>(VARIABLES, positions),
        ),
      )
    },
  }
}

function bound(filter: EmailFilter): Value[] {
  const { domainId, since, until, from, subject, tag, to, events } = conditionsOf(filter)
  return [domainId, since, until, from, subject, tag, to, events === null ? null : texts(events)]
}

function between(above: number, below: number): [above: number, below: number] {
  return [Math.floor(above), Math.ceil(Math.min(below, Number.MAX_SAFE_INTEGER))]
}
