import { ADVANCE } from '../cold/followers.ts'
import { foldedIn } from '../cold/statement.ts'
import { commonPlaces, type ListAnswer, type ListQuestion } from '../common-places.ts'
import {
  COUNT_DIMENSIONS,
  COUNT_SIZES,
  type CountSize,
  type CountSum,
  EMAILS_A_SEGMENT,
  EVENTS_A_SEGMENT,
  EVERY_COMPANY,
  isByTerm,
  isOfEvents,
  keysOf,
  LIST,
  type ListRow,
  LONG_LIST,
  placesBySegment,
  segmentOf,
  TRIMMED_AT_ONCE,
  unlessMore,
  unlessMoreThan,
  withoutRepeats,
} from '../digest.ts'
import type { EventCount, EventSum, RankedCount } from '../digest-store.ts'
import {
  type DigestedRow,
  FIRST,
  IS_FIRST_EVENT,
  REFUSAL_DETAIL,
  ROW_RECIPIENTS,
  SENDABLE_AT,
  SENDER_ADDRESSES,
  wholeEvents,
} from '../digested-rows.ts'
import { FAILED, type GroupsRow, groupKey, groupsOf } from '../event-groups.ts'
import { type DigestedEvent, makeDigest } from '../make-digest.ts'
import { NamedDestinations } from '../named-destinations.ts'
import { FILED_CHARACTERS } from '../searched-words.ts'
import type { DigestStore } from '../store.ts'
import { byteas, int4s, int8s, texts } from './arrays.ts'
import type { Statement, Value } from './database.ts'
import type { StoreParts } from './parts.ts'
import { reachOf } from './reach.ts'

/**
 * Rows of events after $1, up to $2, a number before which no event will be added any more; at most $3. `= ANY
 * (ARRAY[...])` makes every plan use an index, in the order of the log: nothing is read or sorted beyond the last row,
 * whatever the planner estimates.
 */
const BEHIND: Statement = {
  name: 'digest-behind',
  rowMode: 'array',
  text: `
SELECT v.number, v.company, v.type, v.at, e.seq, e.domain_id, e.tags, r.domain, ${IS_FIRST_EVENT}::int4,
  CASE WHEN v.recipient IS NULL THEN ${foldedIn('r.address')} END, ${SENDABLE_AT},
  CASE WHEN ${FIRST} THEN e.key_id END, CASE WHEN ${FIRST} THEN left(e.subject, ${FILED_CHARACTERS}) END, ${REFUSAL_DETAIL},
  ${SENDER_ADDRESSES(foldedIn)}
FROM (SELECT * FROM events WHERE email IS NOT NULL AND number > $1 AND number <= $2 ORDER BY number LIMIT $3) AS v
  JOIN emails e ON e.id = ANY (ARRAY[v.email])
  LEFT JOIN recipients r ON r.email = ANY (ARRAY[v.email]) AND ${ROW_RECIPIENTS}
ORDER BY v.number LIMIT $3`,
}

/** Returns the lists that have become long. */
const KEEP_LISTS: Statement = {
  name: 'keep-lists',
  text: `WITH kept AS (
    INSERT INTO search_lists AS l (company, kind, major, minor, places)
    SELECT * FROM unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::bytea[])
    ON CONFLICT (company, kind, major, minor) DO UPDATE SET places = l.places || excluded.places
    RETURNING company, kind, major, minor, octet_length(places) AS octets
  ) SELECT company, kind, major, minor FROM kept WHERE octets >= $6 AND kind = ANY ($7::int4[])`,
}
const THE_LIST = 'company = $1 AND kind = $2 AND major = $3 AND minor = $4'
const READ_LIST = `SELECT places FROM search_lists WHERE ${THE_LIST}`
const REWRITE_LIST = `UPDATE search_lists SET places = $5 WHERE ${THE_LIST}`

const KEEP_SPANS: Statement = {
  name: 'keep-spans',
  text: `INSERT INTO search_spans AS s (company, segment, min_at, max_at)
  SELECT * FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[])
  ON CONFLICT (company, segment) DO UPDATE
  SET min_at = least(s.min_at, excluded.min_at), max_at = greatest(s.max_at, excluded.max_at)`,
}

const KEEP_COUNTS: Statement = {
  name: 'keep-counts',
  text: `INSERT INTO event_counts AS c (company, size, dimension, start, domain_id, value, type, n)
  SELECT * FROM unnest($1::int4[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::int8[])
  ON CONFLICT (company, size, dimension, start, domain_id, value, type) DO UPDATE SET n = c.n + excluded.n`,
}

const COUNTED = `company = $1 AND size = $2 AND dimension = $3
    AND ($4::text IS NULL OR domain_id = $4) AND ($5::text IS NULL OR ${foldedIn('value')} = ${foldedIn('$5::text')})`
const COUNTS = `SELECT start - (start - $6) % $9 AS start, value, type, sum(n)::int8 AS n, count(*) AS rows
  FROM (SELECT * FROM event_counts WHERE ${COUNTED} AND start >= $6 AND start < $7 LIMIT $8) AS c
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
const RANKS = `WITH counted AS MATERIALIZED (
    SELECT start - (start - $6) % $9 AS start, value, sum(n)::int8 AS n, count(*) AS rows
    FROM (SELECT start, value, n FROM event_counts WHERE ${COUNTED} AND start >= $6 AND start < $7 LIMIT $8) AS c
    GROUP BY 1, 2
  ), ranked AS (
    SELECT start, value, n, (sum(n) OVER (PARTITION BY start ORDER BY value::int8) - n)::int8 AS below,
      (sum(n) OVER (PARTITION BY start))::int8 AS "all"
    FROM (SELECT start, value, n FROM counted
      UNION ALL SELECT NULL, value, sum(n)::int8 FROM counted GROUP BY value) AS c
  )
  SELECT start, value, n, below, "all", (SELECT coalesce(sum(rows), 0)::int8 FROM counted) AS rows FROM ranked
  WHERE EXISTS (SELECT 1 FROM unnest($10::float8[]) AS part
    WHERE below < part * "all" AND below + n >= part * "all")
  ORDER BY start NULLS FIRST, below`
const GROUPS = `WITH counted AS MATERIALIZED (
    SELECT CASE $9::text WHEN 'bucket' THEN start
        WHEN 'month' THEN (extract(epoch FROM date_trunc('month', to_timestamp(start / 1000), 'UTC')) * 1000)::int8 END AS step,
      CASE $10::text WHEN 'value' THEN value WHEN 'domain' THEN domain_id WHEN 'both' THEN domain_id || ' ' || value ELSE '' END AS value,
      type, sum(n)::int8 AS n, min(start) AS first, count(*) AS rows
    FROM (SELECT start, domain_id, value, type, n FROM event_counts WHERE ${COUNTED} AND start >= $6 AND start < $7 LIMIT $8) AS c
    GROUP BY 1, 2, 3
  ), grouped AS MATERIALIZED (
    SELECT step, value, min(first) AS first, json_object_agg(type, n) AS sums FROM counted GROUP BY step, value
  )
  SELECT
    (SELECT json_agg(json_build_array(step, value, sums) ORDER BY first, value)::text
     FROM (SELECT * FROM grouped ORDER BY first, value LIMIT $12 OFFSET $11) AS page) AS groups,
    (SELECT json_object_agg(type, n)::text FROM (SELECT type, sum(n)::int8 AS n FROM counted GROUP BY type) AS t) AS sums,
    (SELECT count(*) FROM grouped) AS total, (SELECT coalesce(sum(rows), 0)::int8 FROM counted) AS rows`
const BUSIEST = `WITH sums AS MATERIALIZED (
    SELECT value AS key, type, sum(n)::int8 AS n, count(*) AS rows
    FROM (SELECT value, type, n FROM event_counts WHERE ${COUNTED} AND start >= $6 AND start < $7 LIMIT $8) AS c
    GROUP BY value, type
  ), ranked AS MATERIALIZED (
    SELECT key, sum(CASE WHEN type = 'accepted' THEN n ELSE 0 END) AS accepted,
      sum(${FAILED}) AS failures
    FROM sums WHERE key <> '' GROUP BY key
  ), busiest AS (
    SELECT key FROM (SELECT key FROM ranked ORDER BY accepted DESC, key LIMIT $9) AS a
    UNION SELECT key FROM (SELECT key FROM ranked WHERE failures > 0 ORDER BY failures DESC, key LIMIT $9) AS f
    UNION SELECT ''
  )
  SELECT key, type, n, (SELECT sum(rows)::int8 FROM sums) AS rows FROM sums WHERE key IN (SELECT key FROM busiest) ORDER BY key, type`
const SUMS = { value: sumsBy('value'), domain: sumsBy('domain_id'), company: sumsByCompany() }

/** For lists of emails, only segments with emails of the company are looked at. */
const BOUNDS: Statement = {
  name: 'list-bounds',
  text: `SELECT
    (SELECT seq FROM emails WHERE company = $1 ORDER BY seq LIMIT 1) AS first,
    (SELECT seq FROM emails WHERE company = $1 ORDER BY seq DESC LIMIT 1) AS last`,
}
/** The first email of all companies: one look-up for each company. The last one follows from the sequence. */
const FIRST_OF_ALL: Statement = {
  name: 'first-email-of-all',
  text: `SELECT min((SELECT seq FROM emails e WHERE e.company = c.num ORDER BY seq LIMIT 1)) AS first FROM companies c`,
}
const REACHED = 'SELECT last_value AS last FROM emails_seq_seq'
/**
 * Milliseconds for which the place of the first email is reused. It only rises, so an old value only means looking at
 * empty segments.
 */
const FIRST_KNOWN_MS = 60_000

const SPANS = `SELECT segment FROM search_spans WHERE company = $1 AND segment BETWEEN $2 AND $3
  AND ($5::int8 IS NULL OR max_at >= $5) AND ($6::int8 IS NULL OR min_at < $6)`
const SERIES = `SELECT segment FROM generate_series($2::int8, $3::int8) AS segment
  WHERE $1::int4 IS NOT NULL AND $5::int8 IS NULL AND $6::int8 IS NULL`

/** The places of lists in each segment: by term for a range of segments, by segment for the given ones. */
const BY_TERM: Statement = {
  name: 'lists-by-term',
  text: `SELECT minor AS segment, major AS key, places FROM search_lists
  WHERE company = $1 AND kind = $2 AND major = ANY ($3::int8[]) AND minor BETWEEN $4 AND $5`,
}
/** The segments in which these lists have any places. */
const SEGMENTS_BY_TERM: Statement = {
  name: 'segments-by-term',
  text: `SELECT DISTINCT minor AS segment FROM search_lists
  WHERE company = $1 AND kind = $2 AND major = ANY ($3::int8[]) AND minor BETWEEN $4 AND $5`,
}
const BY_SEGMENT: Statement = {
  name: 'lists-by-segment',
  text: `SELECT major AS segment, minor AS key, places FROM search_lists
  WHERE company = $1 AND kind = $2 AND minor = ANY ($3::int8[]) AND major = ANY ($4::int8[])`,
}

const EMPTY = new Uint8Array()

type Key = { company: number; kind: number; major: number; minor: number }

function sumsBy(key: string): string {
  return `SELECT key, type, sum(n)::int8 AS n, count(*) AS rows
    FROM (SELECT ${key} AS key, type, n FROM event_counts WHERE ${COUNTED} AND start >= $6 AND start < $7 LIMIT $8) AS k
    GROUP BY key, type ORDER BY key, type`
}

/** OFFSET 0 forces one look into each company's counts; the planner would rather read the counts of everything. */
function sumsByCompany(): string {
  return `SELECT key, type, sum(n)::int8 AS n, count(*) AS rows
    FROM (
      SELECT c.id AS key, k.type, k.n FROM companies c CROSS JOIN LATERAL (
        SELECT type, n FROM event_counts
        WHERE company = c.num AND size = $2 AND dimension = $3 AND ($4::text IS NULL OR domain_id = $4)
          AND ($5::text IS NULL OR ${foldedIn('value')} = ${foldedIn('$5::text')}) AND start >= $6 AND start < $7 OFFSET 0
      ) AS k WHERE $1::int4 = ${EVERY_COMPANY} LIMIT $8
    ) AS k GROUP BY key, type ORDER BY key, type`
}

/** The digest of the log of events. */
export function digest(parts: StoreParts): Omit<DigestStore, 'seenTags'> {
  const { database, companies } = parts
  const { reach } = reachOf('events_number_seq', parts)
  const named = new NamedDestinations()

  /** Undefined when there is no such company. */
  async function numberOf(companyId: string | null): Promise<number | undefined> {
    const number = await companies.filter(companyId)
    return number === null ? EVERY_COMPANY : number
  }

  type Ends = { first: number | null; last: number | null }
  let firstOfAll = { seq: 0, until: 0 }

  async function endsOfAll(): Promise<Ends> {
    if (performance.now() > firstOfAll.until) {
      const [row] = await database.read<Pick<Ends, 'first'>>(FIRST_OF_ALL)
      const { first } = row!
      if (first === null) return { first, last: null }
      firstOfAll = { seq: first, until: performance.now() + FIRST_KNOWN_MS }
    }
    const [reached] = await database.read<{ last: number }>(REACHED)
    return { first: firstOfAll.seq, last: reached!.last }
  }

  async function endsOf(company: number): Promise<Ends> {
    const [row] = await database.read<Ends>(BOUNDS, [company])
    return row!
  }

  /** Segments that may hold emails of the company. */
  async function bounds(company: number, from: number, to: number): Promise<[number, number]> {
    const { first, last } = await (company === EVERY_COMPANY ? endsOfAll() : endsOf(company))
    if (first === null || last === null) return [0, -1]
    return [
      Math.max(from, segmentOf(first, EMAILS_A_SEGMENT)),
      Math.min(to, segmentOf(last, EMAILS_A_SEGMENT)),
    ]
  }

  async function answerTo(company: number, { list, segments, whether }: ListQuestion): Promise<ListAnswer> {
    const values = [company, list.kind, int8s(keysOf(list))]
    const [one = 0, other = one] = [segments[0], segments.at(-1)]
    const range = [Math.min(one, other), Math.max(one, other)]
    if (whether) {
      const rows = await database.read<{ segment: number }>(SEGMENTS_BY_TERM, [...values, ...range])
      return new Map(rows.map(({ segment }) => [segment, EMPTY]))
    }
    const rows = isByTerm(list.kind)
      ? database.read<ListRow>(BY_TERM, [...values, ...range])
      : database.read<ListRow>(BY_SEGMENT, [...values, int8s(segments)])
    return placesBySegment(list, await rows)
  }

  /** Returns whole events: the rows of one event are not divided. */
  async function eventsBehind(
    cursor: number,
    reached: number,
    limit: number,
  ): Promise<{ events: DigestedEvent[]; more: boolean }> {
    const rows = await database.read<DigestedRow>(BEHIND, [cursor, reached, limit])
    return wholeEvents(rows, limit) ?? (await eventsBehind(cursor, reached, 2 * limit))
  }

  return {
    async digestAfter(cursor, limit) {
      const reached = await reach(cursor)
      if (reached <= cursor) return { digest: makeDigest([]), cursor, more: false }
      const { events, more } = await eventsBehind(cursor, reached, limit)
      return { digest: makeDigest(events, named), cursor: more ? events.at(-1)!.number : reached, more }
    },

    async keepDigest({ name, token, from, to }, { lists, spans, counts }) {
      return await database.transaction(async (session) => {
        const advanced = await session.count(ADVANCE.postgres, [name, token, from, to])
        if (advanced === 0) return false
        if (lists.length > 0) {
          const long = await session.run<Key>(KEEP_LISTS, [
            int4s(lists.map(({ company }) => company)),
            int4s(lists.map(({ kind }) => kind)),
            int8s(lists.map(({ major }) => major)),
            int8s(lists.map(({ minor }) => minor)),
            byteas(lists.map(({ places }) => places)),
            LONG_LIST,
            int4s(Object.values(LIST).filter(isByTerm)),
          ])
          for (const { company, kind, major, minor } of long) {
            const key = [company, kind, major, minor]
            const [list] = await session.run<Pick<ListRow, 'places'>>(READ_LIST, key)
            await session.run(REWRITE_LIST, [...key, withoutRepeats(list!.places)])
          }
        }
        if (spans.length > 0) {
          await session.run(KEEP_SPANS, [
            int4s(spans.map(({ company }) => company)),
            int8s(spans.map(({ segment }) => segment)),
            int8s(spans.map(({ minAt }) => minAt)),
            int8s(spans.map(({ maxAt }) => maxAt)),
          ])
        }
        if (counts.length > 0) {
          await session.run(KEEP_COUNTS, [
            int4s(counts.map(({ company }) => company)),
            int8s(counts.map(({ size }) => size)),
            texts(counts.map(({ dimension }) => dimension)),
            int8s(counts.map(({ start }) => start)),
            texts(counts.map(({ domainId }) => domainId)),
            texts(counts.map(({ value }) => value)),
            texts(counts.map(({ type }) => type)),
            int8s(counts.map(({ n }) => n)),
          ])
        }
        return true
      })
    },

    async readLists({ companyId, lists, from, to, newestFirst, since, until, looks }) {
      const company = await numberOf(companyId)
      if (company === undefined) return { segments: [], reached: null }
      const isEvents = isOfEvents(lists[0]!.kind)
      const range = isEvents ? [from, to] : await bounds(company, from, to)
      const times = [since, until].map((at) => (at === null ? null : Math.round(at)))
      const order = newestFirst ? 'DESC' : 'ASC'
      const looked = await database.read<{ segment: number }>(
        {
          name: `${isEvents ? 'spans' : 'series'}-${order}`,
          text: `${isEvents ? SPANS : SERIES} ORDER BY segment ${order} LIMIT $4`,
        },
        [company, ...range, looks, ...times],
      )
      const those = looked.map(({ segment }) => segment)
      const common = commonPlaces(lists, those)
      let step = common.next()
      while (!step.done) {
        step = common.next(await Promise.all(step.value.map((question) => answerTo(company, question))))
      }
      const segments = step.value
      return { segments, reached: looked.length < looks ? null : looked.at(-1)!.segment }
    },

    async countEvents({ companyId, domainId, size, dimension, value, since, until, most, step }) {
      const company = await numberOf(companyId)
      if (company === undefined) return []
      const counted = [company, COUNT_SIZES[size], dimension, domainId, value]
      const range = [Math.ceil(since), Math.ceil(until), most + 1, step ?? 1]
      return unlessMore(await database.read<EventCount & CountSum>(COUNTS, [...counted, ...range]), most)
    },

    async countRanks({ companyId, domainId, size, dimension, value, since, until, most, step, parts }) {
      const company = await numberOf(companyId)
      if (company === undefined) return []
      const counted = [company, COUNT_SIZES[size], dimension, domainId, value]
      const range = [Math.ceil(since), Math.ceil(until), most + 1, step, `{${parts.join()}}`]
      return unlessMoreThan(most, await database.read<RankedCount & CountSum>(RANKS, [...counted, ...range]))
    },

    async groupEvents({ companyId, domainId, size, dimension, value, since, until, most, by, skip, limit }) {
      const company = await numberOf(companyId)
      if (company === undefined) return { groups: [], total: 0, sums: {} }
      const counted = [company, COUNT_SIZES[size], dimension, domainId, value]
      const range = [Math.ceil(since), Math.ceil(until), most + 1]
      const grouped = [by.time, groupKey(by), skip, limit]
      const [row] = await database.read<GroupsRow>(GROUPS, [...counted, ...range, ...grouped])
      return groupsOf(row!, most)
    },

    async sumBusiest({ companyId, domainId, size, dimension, value, since, until, most, limit }) {
      const company = await numberOf(companyId)
      if (company === undefined) return []
      const counted = [company, COUNT_SIZES[size], dimension, domainId, value]
      const range = [Math.ceil(since), Math.ceil(until), most + 1]
      return unlessMoreThan(
        most,
        await database.read<EventSum & CountSum>(BUSIEST, [...counted, ...range, limit]),
      )
    },

    async sumEvents({ companyId, by, domainId, size, dimension, value, since, until, most }) {
      const company = await numberOf(companyId)
      if (company === undefined) return []
      const counted = [company, COUNT_SIZES[size], dimension, domainId, value]
      const range = [Math.ceil(since), Math.ceil(until), most + 1]
      return unlessMore(await database.read<EventSum & CountSum>(SUMS[by], [...counted, ...range]), most)
    },

    async trimDigest(countsBefore) {
      const [oldest] = await database.read<{ email: number; event: number }>(OLDEST)
      const email = segmentOf(oldest!.email, EMAILS_A_SEGMENT)
      const event = segmentOf(oldest!.event, EVENTS_A_SEGMENT)
      let left = TRIMMED_AT_ONCE
      const trim = async (statement: string, ...values: Value[]) => {
        if (left > 0) left -= (await database.write(statement, [...values, left])).length
      }
      const known = await database.read<{ num: number }>('SELECT num FROM companies')
      for (const num of [EVERY_COMPANY, ...known.map(({ num }) => num)]) {
        for (const kind of Object.values(LIST)) {
          const before = isOfEvents(kind) ? event : email
          if (!isByTerm(kind)) await trim(TRIM_BY_SEGMENT, num, kind, before)
          else
            for (const { major } of await database.read<{ major: number }>(TERMS, [num, kind]))
              await trim(TRIM_BY_TERM, num, kind, major, before)
        }
        await trim(TRIM_SPANS, num, event)
        for (const [size, ms] of Object.entries(COUNT_SIZES)) {
          const before = Math.round(countsBefore[size as CountSize])
          for (const dimension of COUNT_DIMENSIONS) await trim(TRIM_COUNTS, num, ms, dimension, before)
        }
      }
      return left === 0
    },
  }
}

/**
 * If there is none, a segment before the last number that was given: lower numbers may belong to transactions that have
 * not committed yet.
 */
const OLDEST = `SELECT coalesce(
    (SELECT min(seq) FROM (SELECT (SELECT seq FROM emails e WHERE e.company = c.num ORDER BY seq LIMIT 1) AS seq
      FROM companies c) AS firsts),
    (SELECT last_value - ${EMAILS_A_SEGMENT} FROM emails_seq_seq)) AS email,
  coalesce((SELECT number FROM events ORDER BY number LIMIT 1),
    (SELECT last_value - ${EVENTS_A_SEGMENT} FROM events_number_seq)) AS event`

/** Each term of a company once, with one index look-up for each. */
const TERMS = `WITH RECURSIVE terms AS (
    (SELECT major FROM search_lists WHERE company = $1 AND kind = $2 ORDER BY major LIMIT 1)
    UNION ALL
    SELECT (SELECT l.major FROM search_lists l WHERE l.company = $1 AND l.kind = $2 AND l.major > t.major ORDER BY l.major LIMIT 1)
    FROM terms t WHERE t.major IS NOT NULL
  )
  SELECT major FROM terms WHERE major IS NOT NULL`

const TRIM_BY_SEGMENT = `DELETE FROM search_lists WHERE (company, kind, major, minor) IN (
    SELECT company, kind, major, minor FROM search_lists WHERE company = $1 AND kind = $2 AND major < $3 LIMIT $4) RETURNING 1`
const TRIM_BY_TERM = `DELETE FROM search_lists WHERE (company, kind, major, minor) IN (
    SELECT company, kind, major, minor FROM search_lists WHERE company = $1 AND kind = $2 AND major = $3 AND minor < $4 LIMIT $5) RETURNING 1`
const TRIM_SPANS = `DELETE FROM search_spans WHERE (company, segment) IN (
    SELECT company, segment FROM search_spans WHERE company = $1 AND segment < $2 LIMIT $3) RETURNING 1`
const TRIM_COUNTS = `DELETE FROM event_counts WHERE (company, size, dimension, start, domain_id, value, type) IN (
    SELECT company, size, dimension, start, domain_id, value, type FROM event_counts
    WHERE company = $1 AND size = $2 AND dimension = $3 AND start < $4 LIMIT $5) RETURNING 1`
