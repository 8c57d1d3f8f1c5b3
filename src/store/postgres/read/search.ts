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
import type { SearchStore } from '../../store.ts'
import { int4s, int8s, texts, uuids } from '../arrays.ts'
import type { Value } from '../database.ts'
import { eventOf, type PageRow } from '../events.ts'
import type { Parts } from '../parts.ts'
import { foldedIn, isEmailId } from '../rows.ts'
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

/** Whatever comes of it there is a row, with the last place that was looked at and how many were. */
function walk(order: 'ASC' | 'DESC'): string {
  return `WITH looked AS MATERIALIZED (
    SELECT e.* FROM emails e WHERE e.company = $1 AND e.seq > $10 AND e.seq < $11 ORDER BY e.seq ${order} LIMIT $12
  ), wanted AS MATERIALIZED (
    ${PLACED} FROM looked e JOIN companies c ON c.num = e.company WHERE ${WANTED} ORDER BY e.seq ${order} LIMIT $13
  )
  SELECT l.looks, last.seq AS reached, last.id::text AS "reachedId", wanted.*
  FROM (SELECT count(*) AS looks FROM looked) AS l
    LEFT JOIN (SELECT seq, id FROM looked ORDER BY seq ${order === 'ASC' ? 'DESC' : 'ASC'} LIMIT 1) AS last ON true
    LEFT JOIN wanted ON true
  ORDER BY wanted.place ${order}`
}

const WALKS = { ASC: walk('ASC'), DESC: walk('DESC') }

const AT = `${PLACED} FROM emails e JOIN companies c ON c.num = e.company
  WHERE e.company = $1 AND e.seq = ANY ($10::int8[]) AND ${WANTED} ORDER BY e.seq DESC`

/** Of the emails that begin behind $10. */
const BEGUN = `${PLACED} FROM emails e JOIN companies c ON c.num = e.company
  WHERE e.id IN (SELECT v.email FROM events v
      WHERE v.number > $10 AND v.company = $1 AND v.recipient IS NULL AND v.type IN ('sent', 'scheduled'))
    AND ${WANTED} ORDER BY e.seq DESC`

const MANY_BEHIND = 'SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE number > $1 LIMIT $2) AS v'

const PLACE = `SELECT id::text AS id, seq FROM emails WHERE id <= $1::uuid ORDER BY id DESC LIMIT 1`

const EVENT =
  'SELECT v.number, v.email::text AS "emailId", c.id AS "companyId", v.recipient, r.address, v.type, v.at, v.detail'
const OF_EVENT = `JOIN companies c ON c.num = v.company
    LEFT JOIN recipients r ON r.email = v.email AND r.position = v.recipient`

function eventsAt(order: 'ASC' | 'DESC'): string {
  return `${EVENT} FROM (
    SELECT * FROM events WHERE number = ANY ($1::int8[]) AND ($2::int8 IS NULL OR at >= $2) AND ($3::int8 IS NULL OR at < $3)
    ORDER BY number ${order} LIMIT $4
  ) AS v ${OF_EVENT} ORDER BY v.number ${order}`
}

const EVENTS_AT = { ASC: eventsAt('ASC'), DESC: eventsAt('DESC') }

const EVENTS_OF = `${EVENT} FROM events v ${OF_EVENT} WHERE v.email = ANY ($1::uuid[])
  AND ($2::text IS NULL OR v.recipient IS NULL OR ${foldedIn('r.address')} = $2) ORDER BY v.number + 0`

const ALONG = {
  newestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq >= $2 ORDER BY seq LIMIT 1`,
  oldestFirst: `SELECT id::text AS id FROM emails WHERE company = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
}

const TOLD = `SELECT ${selected(fieldsOf('tell'), ofEmail)}
  FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = ANY ($1::uuid[])`

const FILES = `SELECT a.email::text AS "emailId", a.filename, a.content_type AS "contentType", octet_length(b.bytes) AS size
  FROM attachments a JOIN blobs b ON b.company = a.company AND b.sha256 = a.sha256
  WHERE a.email = ANY ($1::uuid[]) ORDER BY a.email, a.position`

const VARIABLES = `SELECT r.email::text AS "emailId", r.position AS recipient, r.variables
  FROM unnest($1::uuid[], $2::int4[]) AS t (email, position)
    JOIN recipients r ON r.email = t.email AND r.position = t.position
  WHERE r.variables IS NOT NULL`

/** A row of a walk: all but the first three are null when nothing is wanted. */
interface WalkRow extends PlacedRow {
  looks: number
  reached: number
  reachedId: string | null
}

/** What is looked for among emails and events. */
export function search({
  database,
  companies,
}: Parts): Omit<SearchStore, 'eventsUpTo' | 'settledEventNumber'> {
  return {
    async emailPlace(id) {
      if (!isEmailId(id)) return 0
      const [row] = await database.read<{ id: string; seq: number }>(PLACE, [id])
      if (row === undefined) return 0.5
      return row.id === id ? row.seq : row.seq + 0.5
    },

    async walkEmails(filter, { above, below, newestFirst, looks, limit }) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null) return { emails: [], reached: null, complete: true }
      const range = [Math.floor(above), Math.ceil(Math.min(below, Number.MAX_SAFE_INTEGER)), looks, limit]
      const values = [company, ...bound(filter), ...range]
      const rows = await database.read<WalkRow>(WALKS[newestFirst ? 'DESC' : 'ASC'], values)
      const emails = rows.filter(({ place }) => place !== null).map(placedOf)
      if (emails.length === limit) return { emails, reached: placeOf(emails), complete: false }
      const { looks: looked, reached: place, reachedId: id } = rows[0]!
      return { emails, reached: id === null ? null : { place, id }, complete: looked < looks }
    },

    async emailsAt(filter, places) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null || places.length === 0) return []
      const values = [company, ...bound(filter), int8s([...places])]
      return (await database.read<PlacedRow>(AT, values)).map(placedOf)
    },

    async emailsBegunAfter(number, filter) {
      const company = await companies.filter(filter.companyId)
      if (company === undefined || company === null) return []
      const [behind] = await database.read<{ events: number }>(MANY_BEHIND, [number, MOST_BEHIND + 1])
      if (behind!.events > MOST_BEHIND) return null
      return (await database.read<PlacedRow>(BEGUN, [company, ...bound(filter), number])).map(placedOf)
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
      const statement = EVENTS_AT[newestFirst ? 'DESC' : 'ASC']
      return (await database.read<PageRow>(statement, [int8s([...numbers]), ...times, limit])).map(eventOf)
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
