import type { DatabaseSync } from 'node:sqlite'
import { commonPlaces, type ListAnswer, type ListQuestion } from '../../common-places.ts'
import {
  COUNT_SIZES,
  type CountSum,
  EMAILS_A_SEGMENT,
  EVERY_COMPANY,
  isByTerm,
  isOfEvents,
  keysOf,
  type ListRow,
  placesBySegment,
  segmentOf,
  unlessMore,
  unlessMoreThan,
} from '../../digest.ts'
import type { EventCount, EventSum, RankedCount } from '../../digest-store.ts'
import {
  type DigestedRow,
  FIRST,
  IS_FIRST_EVENT,
  REFUSAL_DETAIL,
  ROW_RECIPIENTS,
  SENDABLE_AT,
  SENDER_ADDRESSES,
  wholeEvents,
} from '../../digested-rows.ts'
import { FAILED, type GroupsRow, groupKey, groupsOf } from '../../event-groups.ts'
import { type DigestedEvent, makeDigest } from '../../make-digest.ts'
import { NamedDestinations } from '../../named-destinations.ts'
import { FILED_CHARACTERS } from '../../searched-words.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

const EMPTY = new Uint8Array()

const COUNTED = `company = ?1 AND size = ?2 AND dimension = ?3
  AND (?4 IS NULL OR domain_id = ?4) AND (?5 IS NULL OR lower(value) = lower(?5))`

/** Makes the digest of the log, and reads it. Must be called inside a transaction. */
export function digest(
  db: DatabaseSync,
): Direct<
  'digestAfter' | 'readLists' | 'countEvents' | 'countRanks' | 'groupEvents' | 'sumEvents' | 'sumBusiest'
> {
  const behind = db.prepare(
    `SELECT v.number, v.company, v.type, v.at, v.email AS place, e.domain_id AS domainId, e.tags,
       r.domain AS recipientDomain, ${IS_FIRST_EVENT} AS begins, iif(v.recipient IS NULL, lower(r.address), NULL) AS address,
       ${SENDABLE_AT} AS sendableAt, iif(${FIRST}, e.key_id, NULL) AS keyId,
       iif(${FIRST}, substr(e.subject, 1, ${FILED_CHARACTERS}), NULL) AS subject, ${REFUSAL_DETAIL} AS refusal, ${SENDER_ADDRESSES((text) => `lower(${text})`)}
     FROM events v CROSS JOIN emails e ON e.num = v.email
       LEFT JOIN recipients r ON r.email = v.email AND ${ROW_RECIPIENTS}
     WHERE v.number > ? ORDER BY v.number LIMIT ?`,
  )
  behind.setReturnArrays(true)
  const last = db.prepare("SELECT value FROM counters WHERE name = 'events'")
  const company = db.prepare('SELECT num FROM companies WHERE id = ?')
  const spans = { ASC: spansIn('ASC'), DESC: spansIn('DESC') }
  const ends = {
    own: db.prepare(
      `SELECT (SELECT num FROM emails WHERE company = ?1 ORDER BY num LIMIT 1) AS first,
         (SELECT num FROM emails WHERE company = ?1 ORDER BY num DESC LIMIT 1) AS last`,
    ),
    all: db.prepare('SELECT (SELECT min(num) FROM emails) AS first, (SELECT max(num) FROM emails) AS last'),
  }
  const byTerm = db.prepare(
    `SELECT minor AS segment, major AS key, places FROM search_lists
     WHERE company = ?1 AND kind = ?2 AND major IN (SELECT value FROM json_each(?3)) AND minor BETWEEN ?4 AND ?5`,
  )
  const segmentsByTerm = db.prepare(
    `SELECT DISTINCT minor AS segment FROM search_lists
     WHERE company = ?1 AND kind = ?2 AND major IN (SELECT value FROM json_each(?3)) AND minor BETWEEN ?4 AND ?5`,
  )
  const bySegment = db.prepare(
    `SELECT l.major AS segment, l.minor AS key, l.places FROM json_each(?4) s CROSS JOIN search_lists l
       ON l.company = ?1 AND l.kind = ?2 AND l.major = s.value AND l.minor IN (SELECT value FROM json_each(?3))`,
  )
  const counts = db.prepare(
    `SELECT start - (start - ?6) % ?9 AS start, value, type, sum(n) AS n, count(*) AS rows
     FROM (SELECT * FROM event_counts WHERE ${COUNTED} AND start >= ?6 AND start < ?7 LIMIT ?8)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  )
  const ranks = db.prepare(
    `WITH counted AS MATERIALIZED (
       SELECT start - (start - ?6) % ?9 AS start, value, sum(n) AS n, count(*) AS rows
       FROM (SELECT start, value, n FROM event_counts WHERE ${COUNTED} AND start >= ?6 AND start < ?7 LIMIT ?8)
       GROUP BY 1, 2
     ), ranked AS (
       SELECT start, value, n, sum(n) OVER (PARTITION BY start ORDER BY CAST(value AS INTEGER)) - n AS below,
         sum(n) OVER (PARTITION BY start) AS "all"
       FROM (SELECT start, value, n FROM counted UNION ALL SELECT NULL, value, sum(n) FROM counted GROUP BY value)
     )
     SELECT start, value, n, below, "all", (SELECT total(rows) FROM counted) AS rows FROM ranked
     WHERE EXISTS (SELECT 1 FROM json_each(?10) AS part
       WHERE below < part.value * "all" AND below + n >= part.value * "all")
     ORDER BY start, below`,
  )
  const groups = db.prepare(
    `WITH counted AS MATERIALIZED (
       SELECT CASE ?9 WHEN 'bucket' THEN start WHEN 'month' THEN unixepoch(start / 1000, 'unixepoch', 'start of month') * 1000 END AS step,
         CASE ?10 WHEN 'value' THEN value WHEN 'domain' THEN domain_id WHEN 'both' THEN domain_id || ' ' || value ELSE '' END AS value,
         type, sum(n) AS n, min(start) AS first, count(*) AS rows
       FROM (SELECT start, domain_id, value, type, n FROM event_counts WHERE ${COUNTED} AND start >= ?6 AND start < ?7 LIMIT ?8)
       GROUP BY 1, 2, 3
     ), grouped AS MATERIALIZED (
       SELECT step, value, min(first) AS first, json_group_object(type, n) AS sums FROM counted GROUP BY step, value
     )
     SELECT
       (SELECT json_group_array(json_array(step, value, json(sums)))
        FROM (SELECT * FROM grouped ORDER BY first, value LIMIT ?12 OFFSET ?11)) AS groups,
       (SELECT json_group_object(type, n) FROM (SELECT type, sum(n) AS n FROM counted GROUP BY type)) AS sums,
       (SELECT count(*) FROM grouped) AS total, (SELECT total(rows) FROM counted) AS rows`,
  )
  const busiest = db.prepare(
    `WITH sums AS MATERIALIZED (
      SELECT value AS key, type, sum(n) AS n, count(*) AS rows
      FROM (SELECT value, type, n FROM event_counts WHERE ${COUNTED} AND start >= ?6 AND start < ?7 LIMIT ?8) AS c
      GROUP BY value, type
    ), ranked AS MATERIALIZED (
      SELECT key, sum(CASE WHEN type = 'accepted' THEN n ELSE 0 END) AS accepted,
        sum(${FAILED}) AS failures
      FROM sums WHERE key <> '' GROUP BY key
    ), busiest AS (
      SELECT key FROM (SELECT key FROM ranked ORDER BY accepted DESC, key LIMIT ?9) AS a
      UNION SELECT key FROM (SELECT key FROM ranked WHERE failures > 0 ORDER BY failures DESC, key LIMIT ?9) AS f
      UNION SELECT ''
    )
    SELECT key, type, n, (SELECT sum(rows) FROM sums) AS rows FROM sums WHERE key IN (SELECT key FROM busiest) ORDER BY key, type`,
  )
  const sums = {
    value: sumStatement('value'),
    domain: sumStatement('domain_id'),
    company: db.prepare(
      `SELECT key, type, sum(n) AS n, count(*) AS rows
       FROM (
         SELECT c.id AS key, k.type, k.n FROM companies c CROSS JOIN event_counts k ON k.company = c.num
         WHERE ?1 = ${EVERY_COMPANY} AND k.size = ?2 AND k.dimension = ?3
           AND (?4 IS NULL OR k.domain_id = ?4) AND (?5 IS NULL OR lower(k.value) = lower(?5)) AND k.start >= ?6 AND k.start < ?7 LIMIT ?8
       )
       GROUP BY key, type ORDER BY key, type`,
    ),
  }

  function sumStatement(key: string) {
    return db.prepare(
      `SELECT key, type, sum(n) AS n, count(*) AS rows
       FROM (SELECT ${key} AS key, type, n FROM event_counts WHERE ${COUNTED} AND start >= ?6 AND start < ?7 LIMIT ?8)
       GROUP BY key, type ORDER BY key, type`,
    )
  }

  function spansIn(order: 'ASC' | 'DESC') {
    return db.prepare(
      `SELECT segment FROM search_spans WHERE company = ?1 AND segment BETWEEN ?2 AND ?3
         AND (?4 IS NULL OR max_at >= ?4) AND (?5 IS NULL OR min_at < ?5)
       ORDER BY segment ${order} LIMIT ?6`,
    )
  }

  /** Segments that may hold emails of the company. */
  function bounds(company: number, from: number, to: number): [from: number, to: number] {
    type Ends = { first: number | null; last: number | null }
    const { first, last } = company === EVERY_COMPANY ? one<Ends>(ends.all)! : one<Ends>(ends.own, company)!
    if (first === null || last === null) return [0, -1]
    return [
      Math.max(from, segmentOf(first, EMAILS_A_SEGMENT)),
      Math.min(to, segmentOf(last, EMAILS_A_SEGMENT)),
    ]
  }

  /** Returns whole events: the rows of one event are not divided. */
  function eventsBehind(cursor: number, limit: number): { events: DigestedEvent[]; more: boolean } {
    return wholeEvents(all<DigestedRow>(behind, cursor, limit), limit) ?? eventsBehind(cursor, 2 * limit)
  }

  function answerTo(company: number, { list, segments, whether }: ListQuestion): ListAnswer {
    const values = [company, list.kind, JSON.stringify(keysOf(list))]
    const [one = 0, other = one] = [segments[0], segments.at(-1)]
    const range = [Math.min(one, other), Math.max(one, other)]
    if (whether) {
      const rows = all<{ segment: number }>(segmentsByTerm, ...values, ...range)
      return new Map(rows.map(({ segment }) => [segment, EMPTY]))
    }
    const rows = isByTerm(list.kind)
      ? all<ListRow>(byTerm, ...values, ...range)
      : all<ListRow>(bySegment, ...values, JSON.stringify(segments))
    return placesBySegment(list, rows)
  }

  const named = new NamedDestinations()
  const numberOf = (companyId: string | null) =>
    companyId === null ? EVERY_COMPANY : (one<{ num: number }>(company, companyId)?.num ?? null)

  return {
    digestAfter(cursor, limit) {
      const { events, more } = eventsBehind(cursor, limit)
      const end = more ? events.at(-1)!.number : one<{ value: number }>(last)!.value
      return { digest: makeDigest(events, named), cursor: Math.max(cursor, end), more }
    },

    readLists({ companyId, lists, from, to, newestFirst, since, until, looks }) {
      const number = numberOf(companyId)
      if (number === null) return { segments: [], reached: null }
      const looked = isOfEvents(lists[0]!.kind)
        ? all<{ segment: number }>(spans[newestFirst ? 'DESC' : 'ASC'], number, from, to, since, until, looks)
        : segmentsBetween(...bounds(number, from, to), newestFirst, looks)
      const those = looked.map(({ segment }) => segment)
      const common = commonPlaces(lists, those)
      let step = common.next()
      while (!step.done) step = common.next(step.value.map((question) => answerTo(number, question)))
      const segments = step.value
      return { segments, reached: looked.length < looks ? null : looked.at(-1)!.segment }
    },

    countEvents({ companyId, domainId, size, dimension, value, since, until, most, step = 1 }) {
      const number = numberOf(companyId)
      if (number === null) return []
      const counted = [number, COUNT_SIZES[size], dimension, domainId, value] as const
      return unlessMore(all<EventCount & CountSum>(counts, ...counted, since, until, most + 1, step), most)
    },

    countRanks({ companyId, domainId, size, dimension, value, since, until, most, step, parts }) {
      const number = numberOf(companyId)
      if (number === null) return []
      const counted = [number, COUNT_SIZES[size], dimension, domainId, value] as const
      const ranked = [most + 1, step, JSON.stringify(parts)] as const
      return unlessMoreThan(most, all<RankedCount & CountSum>(ranks, ...counted, since, until, ...ranked))
    },

    groupEvents({ companyId, domainId, size, dimension, value, since, until, most, by, skip, limit }) {
      const number = numberOf(companyId)
      if (number === null) return { groups: [], total: 0, sums: {} }
      const counted = [number, COUNT_SIZES[size], dimension, domainId, value] as const
      const range = [since, until, most + 1] as const
      const grouped = [by.time, groupKey(by), skip, limit] as const
      return groupsOf(one<GroupsRow>(groups, ...counted, ...range, ...grouped)!, most)
    },

    sumBusiest({ companyId, domainId, size, dimension, value, since, until, most, limit }) {
      const number = numberOf(companyId)
      if (number === null) return []
      const counted = [number, COUNT_SIZES[size], dimension, domainId, value] as const
      return unlessMoreThan(
        most,
        all<EventSum & CountSum>(busiest, ...counted, since, until, most + 1, limit),
      )
    },

    sumEvents({ companyId, by, domainId, size, dimension, value, since, until, most }) {
      const number = numberOf(companyId)
      if (number === null) return []
      const counted = [number, COUNT_SIZES[size], dimension, domainId, value] as const
      return unlessMore(all<EventSum & CountSum>(sums[by], ...counted, since, until, most + 1), most)
    },
  }
}

function segmentsBetween(
  from: number,
  to: number,
  newestFirst: boolean,
  most: number,
): { segment: number }[] {
  const length = Math.max(0, Math.min(most, to - from + 1))
  return Array.from({ length }, (_, index) => ({ segment: newestFirst ? to - index : from + index }))
}
