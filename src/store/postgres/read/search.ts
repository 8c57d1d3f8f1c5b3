import { isEmailId } from '../../../email/email-id.ts'
import { fieldsOf } from '../../../email/fields.ts'
import { foldedAscii } from '../../../email/folded-ascii.ts'
import type { EmailFilter, EmailPortion, EmailWalk, WalkedEmails } from '../../../email/stored-email.ts'
import { foldedIn } from '../../cold/statement.ts'
import { LAST_EVENT, octetsRead, selected } from '../../email-columns.ts'
import { between, conditionsOf, matchCondition } from '../../email-conditions.ts'
import { type NoticeRow, noticeFactsOf, type PlacedRow, placeOf, portionOf } from '../../email-rows.ts'
import { spanOf } from '../../event-numbers.ts'
import { noticeColumns, selectList } from '../../notice-columns.ts'
import type { SearchStore } from '../../store.ts'
import { bools, int4s, int8s, texts, uuids } from '../arrays.ts'
import type { Statement, Value } from '../database.ts'
import { eventOf, type PageRow } from '../events.ts'
import { type NamedStatement, namedStatement } from '../named.ts'
import type { StoreParts } from '../parts.ts'
import { reachOf } from '../reach.ts'

/** The most events after a number that are searched. */
const MAX_BEHIND = 20_000

const NOTHING: EmailPortion = { emails: [], octets: 0, full: false }

type SearchOrder = 'ASC' | 'DESC'

function bothWays<T>(statement: (order: SearchOrder) => T): Record<SearchOrder, T> {
  return { ASC: statement('ASC'), DESC: statement('DESC') }
}

const ofEmail = () => 'e'

const WANTED = matchCondition({
  value: (name, type) => `:${name}::${type === 'texts' ? 'text[]' : type}`,
  folded: foldedIn,
  has: (text, part) => `strpos(${text}, ${part}) > 0`,
  hasOneOf: (text, parts) => `EXISTS (SELECT 1 FROM unnest(${parts}) p WHERE strpos(${text}, p) > 0)`,
  isAmong: (text, list) => `${text} = ANY (${list})`,
  email: 'e.id',
  lastEvent: LAST_EVENT.postgres,
  isReady: 'e.raw IS NOT NULL',
  live: 'r.state IS NULL',
})

/**
 * The first :limit emails of `from` in the order of `place`, up to :octets. Reads only the values that are shown:
 * lengths are stored beside the values, and the last event is looked up only for the emails of the page.
 */
function portion(name: string, from: string, order: SearchOrder, place = 'e.seq'): NamedStatement {
  const text = `
    SELECT e.place, ${selected(fieldsOf('list'), ofEmail)}, ${LAST_EVENT.postgres} AS "lastEvent", e.octets
    FROM (
      SELECT e.*, sum(e.octets) OVER (ORDER BY e.place ${order} ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT ${place} AS place, e.*, ${octetsRead('list', ofEmail)} AS octets
        FROM ${from} AND ${WANTED} ORDER BY ${place} ${order} LIMIT :limit
      ) AS e
    ) AS e LEFT JOIN companies c ON c.num = e.company
    WHERE e.total - e.octets < :octets::int8 ORDER BY e.place ${order}`
  return namedStatement(`${name}-${order}`, text)
}

/** The first :looks emails between :above and :below. */
const LOOKED = (order: SearchOrder, columns = 'e.*') =>
  `SELECT ${columns} FROM emails e WHERE e.company = :company AND e.seq > :above AND e.seq < :below
    ORDER BY e.seq ${order} LIMIT :looks`

/** Emails are read one after the other until enough match: this order is kept, so that no more are read. */
const WALK = bothWays((order) => portion('walk-emails', `(${LOOKED(order)}) AS e WHERE true`, order))

/**
 * Emails of all companies together have no index by place, so each company's emails are searched. Few of them lie
 * between :above and :below, so they may be sorted.
 */
const OF_ALL = (among: string) => `companies AS own CROSS JOIN LATERAL (
    SELECT * FROM emails m WHERE m.company = own.num AND ${among} OFFSET 0
  ) AS e WHERE true`

const WALK_ALL = bothWays((order) =>
  portion('walk-all-emails', OF_ALL('m.seq > :above AND m.seq < :below'), order),
)

/** The first and the last place among all companies, with one look-up for each company. */
const ENDS = `SELECT min(first) AS first, max(last) AS last FROM (
    SELECT (SELECT seq FROM emails e WHERE e.company = c.num ORDER BY seq LIMIT 1) AS first,
      (SELECT seq FROM emails e WHERE e.company = c.num ORDER BY seq DESC LIMIT 1) AS last
    FROM companies c) AS ends`

/** The number of emails that the walk looked at, and the last of them. */
const WALKED = bothWays((order) =>
  namedStatement(
    `walked-emails-${order}`,
    `WITH looked AS MATERIALIZED (${LOOKED(order, 'e.seq')})
    SELECT l.looks, e.seq AS place, e.id::text AS id
    FROM (SELECT count(*) AS looks, ${order === 'ASC' ? 'max' : 'min'}(seq) AS reached FROM looked) AS l
      LEFT JOIN emails e ON e.company = :company AND e.seq = l.reached`,
  ),
)

/**
 * No index contains `seq + 0`. With `seq`, the planner might walk emails in order until it had met enough of the wanted
 * places.
 */
const UNORDERED = 'e.seq + 0'

const AT = bothWays((order) =>
  portion(
    'emails-at',
    'emails e WHERE e.company = :company AND e.seq = ANY (:places::int8[])',
    order,
    UNORDERED,
  ),
)

/** For all companies, each of these places is looked up in each company. */
const AT_ALL = {
  apart: bothWays((order) =>
    portion('emails-at-all', OF_ALL('m.seq = ANY (:places::int8[])'), order, UNORDERED),
  ),
  together: bothWays((order) =>
    portion(
      'emails-at-all-together',
      OF_ALL('m.seq BETWEEN :first AND :last AND m.seq + 0 = ANY (:places::int8[])'),
      order,
      UNORDERED,
    ),
  ),
}
/**
 * Up to this many places for each requested one, reading the whole range is cheaper than looking up each place in each
 * company.
 */
const TOGETHER_OF_ALL = 200

/** Emails that begin after :number. */
const BEGUN = bothWays((order) =>
  portion(
    'emails-begun',
    `(
      SELECT DISTINCT v.email FROM events v
      WHERE v.number > :number AND (:company::int4 IS NULL OR v.company = :company) AND (v.recipient IS NULL AND v.type IN ('sent', 'scheduled') OR v.type = ANY (:events::text[]) OR v.type = ANY (:hadEvents::text[]))
    ) AS begun JOIN emails e ON e.id = begun.email
    WHERE ${UNORDERED} > :above AND ${UNORDERED} < :below`,
    order,
    UNORDERED,
  ),
)

const MANY_BEHIND = 'SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE number > $1 LIMIT $2) AS v'

const EVENT =
  'SELECT v.number, v.email::text AS "emailId", c.id AS "companyId", v.recipient, r.address, v.type, v.at, v.detail'
const OF_EVENT = `LEFT JOIN companies c ON c.num = v.company
    LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient`

/**
 * `together`: most of the events between the first and the last ($5, $6) are wanted, so the range is read in one go.
 */
function eventsAt(order: SearchOrder, how: 'together' | 'apart'): Statement {
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
  together: bothWays((order) => eventsAt(order, 'together')),
  apart: bothWays((order) => eventsAt(order, 'apart')),
}

const EVENTS_OF: Statement = {
  name: 'events-of',
  text: `${EVENT} FROM events v ${OF_EVENT} WHERE v.email = ANY ($1::uuid[])
  AND ($2::text IS NULL OR v.recipient IS NULL OR ${foldedIn('r.address')} = $2) ORDER BY v.number + 0`,
}

const ALONG_ALL = {
  newestFirst: `SELECT e.id::text AS id FROM companies c CROSS JOIN LATERAL (
      SELECT id, seq FROM emails WHERE company = c.num AND seq >= $1 ORDER BY seq LIMIT 1
    ) AS e ORDER BY e.seq LIMIT 1`,
  oldestFirst: `SELECT e.id::text AS id FROM companies c CROSS JOIN LATERAL (
      SELECT id, seq FROM emails WHERE company = c.num AND seq <= $1 ORDER BY seq DESC LIMIT 1
    ) AS e ORDER BY e.seq DESC LIMIT 1`,
}

const ALONG = {
  newestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq >= $2 ORDER BY seq LIMIT 1`,
  oldestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
}

const TOLD_COLUMNS = noticeColumns(
  'id',
  `(SELECT json_agg(json_build_object(
      'filename', f.filename, 'contentType', f.content_type, 'size', octet_length(b.bytes)) ORDER BY f.position)::text
    FROM attachments f JOIN blobs b ON b.company = f.company AND b.sha256 = f.sha256 WHERE f.email = e.id)`,
)

/** One row for each wanted email ($1 to $3), up to $4 octets. */
const NOTICES: Statement = {
  name: 'told',
  text: `SELECT t.*
    FROM (
      SELECT t.*, sum(t.more) OVER (ORDER BY t.n ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT t.*, t.octets + coalesce(octet_length(t.files), 0) + coalesce(octet_length(t.mailbox), 0)
          + coalesce(octet_length(t."copyOf"), 0) + coalesce(octet_length(t."recipientVariables"), 0) AS more
        FROM (
          SELECT a.n, ${selectList(TOLD_COLUMNS)}
          FROM unnest($1::uuid[], $2::int4[], $3::bool[]) WITH ORDINALITY AS a (email, recipient, known, n)
            LEFT JOIN emails e ON e.id = a.email AND NOT a.known
            LEFT JOIN companies c ON c.num = e.company
            LEFT JOIN recipients r ON r.email = a.email AND r.position = a.recipient
        ) AS t
      ) AS t
    ) AS t WHERE t.total - t.more < $4 ORDER BY t.n`,
}

/** `id` is null when nothing was looked at. */
interface WalkedRow {
  looks: number
  place: number
  id: string | null
}

/** Search in emails and events. */
export function search(
  parts: StoreParts,
): Omit<SearchStore, 'emailPlace' | 'eventsUpTo' | 'settledEventNumber'> {
  const { database, companies } = parts
  const { reachSoon } = reachOf('emails_seq_seq', parts)

  /** Walks places instead of emails: :looks of them, some of which may be unused. */
  async function walkAll(filter: EmailFilter, { newestFirst, ...walk }: EmailWalk): Promise<WalkedEmails> {
    const [ends] = await database.read<{ first: number | null; last: number | null }>(ENDS)
    const nothing = { emails: [], reached: null, complete: true }
    if (ends!.first === null || ends!.last === null) return nothing
    const { above, below } = between(walk)
    const [from, to] = [Math.max(above, ends!.first - 1), Math.min(below, ends!.last + 1)]
    if (to - from < 2) return nothing
    const window = newestFirst
      ? { above: Math.max(from, to - 1 - walk.looks), below: to }
      : { above: from, below: Math.min(to, from + 1 + walk.looks) }
    const order = newestFirst ? 'DESC' : 'ASC'
    const values = { ...bound(filter), ...walk, ...window }
    const rows = await database.read<PlacedRow>(...WALK_ALL[order](values))
    const { emails, full } = portionOf(rows, walk)
    if (full) return { emails, reached: placeOf(emails), complete: false }
    const complete = newestFirst ? window.above === from : window.below === to
    const place = newestFirst ? window.above + 1 : window.below - 1
    const id = await alongAll(place, newestFirst)
    return { emails, reached: id === null ? null : { place, id }, complete }
  }

  async function alongAll(place: number, newestFirst: boolean): Promise<string | null> {
    const statement = ALONG_ALL[newestFirst ? 'newestFirst' : 'oldestFirst']
    return (await database.read<{ id: string }>(statement, [place]))[0]?.id ?? null
  }

  return {
    settledEmailPlace: reachSoon,

    async walkEmails(filter, { newestFirst, ...walk }) {
      const company = await companies.filter(filter.companyId)
      if (company === null) return await walkAll(filter, { newestFirst, ...walk })
      if (company === undefined) return { emails: [], reached: null, complete: true }
      const order = newestFirst ? 'DESC' : 'ASC'
      const values = { company, ...walk, ...between(walk) }
      const rows = await database.read<PlacedRow>(...WALK[order]({ ...bound(filter), ...values }))
      const { emails, full } = portionOf(rows, walk)
      if (full) return { emails, reached: placeOf(emails), complete: false }
      const [row] = await database.read<WalkedRow>(...WALKED[order](values))
      const { looks, place, id } = row!
      return { emails, reached: id === null ? null : { place, id }, complete: looks < walk.looks }
    },

    async emailsAt(filter, places, { newestFirst, ...portion }) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || places.length === 0) return NOTHING
      const order = newestFirst ? 'DESC' : 'ASC'
      const values = { ...bound(filter), ...portion, places: int8s([...places]) }
      if (company !== null) {
        return portionOf(await database.read(...AT[order]({ ...values, company })), portion)
      }
      const { first, last } = spanOf(places)
      const together = places.length > 1 && last - first < TOGETHER_OF_ALL * places.length
      const statement = together
        ? AT_ALL.together[order]({ ...values, first, last })
        : AT_ALL.apart[order](values)
      return portionOf(await database.read(...statement), portion)
    },

    async emailsBegunAfter(number, filter, { newestFirst, ...walk }) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined) return NOTHING
      const [behind] = await database.read<{ events: number }>(MANY_BEHIND, [number, MAX_BEHIND + 1])
      if (behind!.events > MAX_BEHIND) return null
      if (behind!.events === 0) return NOTHING
      const values = { company, ...bound(filter), number, ...walk, ...between(walk) }
      return portionOf(await database.read(...BEGUN[newestFirst ? 'DESC' : 'ASC'](values)), walk)
    },

    async emailAlong(companyId, place, newestFirst) {
      const company = await companies.filter(companyId)
      if (company === null) return await alongAll(place, newestFirst)
      if (company === undefined) return null
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

    async readNoticeFacts(requests, octets) {
      if (requests.length === 0) return []
      const columns = [
        uuids(requests.map(({ emailId }) => emailId)),
        int4s(requests.map(({ recipient }) => recipient)),
        bools(requests.map(({ known }) => known)),
      ]
      const rows = await database.read<NoticeRow>(NOTICES, [...columns, octets])
      return rows.map((row, index) => noticeFactsOf(row, requests[index]!.recipient))
    },
  }
}

function bound(filter: EmailFilter): Record<string, Value> {
  return conditionsOf(filter, (list) => texts([...list]))
}
