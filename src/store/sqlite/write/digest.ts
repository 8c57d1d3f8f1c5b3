import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ADVANCE } from '../../cold/followers.ts'
import {
  COUNT_DIMENSIONS,
  COUNT_SIZES,
  type CountSize,
  EMAILS_A_SEGMENT,
  EVENTS_A_SEGMENT,
  EVERY_COMPANY,
  isByTerm,
  isOfEvents,
  LIST,
  type ListKind,
  LONG_LIST,
  segmentOf,
  TRIMMED_AT_ONCE,
  withoutRepeats,
} from '../../digest.ts'
import type { Writes } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** Stores the digest of the log. */
export function digest(db: DatabaseSync): Pick<Writes, 'keepDigest' | 'trimDigest'> {
  const advance = db.prepare(ADVANCE.sqlite)
  // In SQLite the result of || is text, even of octets.
  const keepList = db.prepare(
    `INSERT INTO search_lists (company, kind, major, minor, places) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET places = CAST(places || excluded.places AS BLOB)`,
  )
  const keepByTerm = db.prepare(
    `INSERT INTO search_lists (company, kind, major, minor, places) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET places = CAST(places || excluded.places AS BLOB) RETURNING length(places) AS octets`,
  )
  const ofTerm = db.prepare(
    'SELECT places FROM search_lists WHERE company = ? AND kind = ? AND major = ? AND minor = ?',
  )
  const rewrite = db.prepare(
    'UPDATE search_lists SET places = ?5 WHERE company = ?1 AND kind = ?2 AND major = ?3 AND minor = ?4',
  )
  const keepSpan = db.prepare(
    `INSERT INTO search_spans (company, segment, min_at, max_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET min_at = min(min_at, excluded.min_at), max_at = max(max_at, excluded.max_at)`,
  )
  const keepCount = db.prepare(
    `INSERT INTO event_counts (company, size, dimension, start, domain_id, value, type, n)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  )
  const oldestEmail = oldest('min(num)', 'emails')
  const oldestEvent = oldest('min(number)', 'events')
  const companies = db.prepare('SELECT num FROM companies')
  const trimBySegment = db.prepare(
    `DELETE FROM search_lists WHERE company = ?1 AND kind = ?2 AND (major, minor) IN (
       SELECT major, minor FROM search_lists WHERE company = ?1 AND kind = ?2 AND major < ?3 LIMIT ?4)`,
  )
  const nextTerm = db.prepare(
    'SELECT major FROM search_lists WHERE company = ? AND kind = ? AND major > ? ORDER BY major LIMIT 1',
  )
  const trimByTerm = db.prepare(
    `DELETE FROM search_lists WHERE company = ?1 AND kind = ?2 AND major = ?3 AND minor IN (
       SELECT minor FROM search_lists WHERE company = ?1 AND kind = ?2 AND major = ?3 AND minor < ?4 LIMIT ?5)`,
  )
  const trimSpans = db.prepare(
    `DELETE FROM search_spans WHERE company = ?1 AND segment IN (
       SELECT segment FROM search_spans WHERE company = ?1 AND segment < ?2 LIMIT ?3)`,
  )
  const trimCounts = db.prepare(
    `DELETE FROM event_counts WHERE company = ?1 AND size = ?2 AND dimension = ?3
       AND (start, domain_id, value, type) IN (
         SELECT start, domain_id, value, type FROM event_counts
         WHERE company = ?1 AND size = ?2 AND dimension = ?3 AND start < ?4 LIMIT ?5)`,
  )

  /** If there is none, the last number that was given. */
  function oldest(place: string, table: 'emails' | 'events'): StatementSync {
    return db.prepare(`SELECT coalesce((SELECT ${place} FROM ${table}),
      (SELECT value FROM counters WHERE name = '${table}'), 0) AS place`)
  }

  function trimLists(company: number, kind: ListKind, before: number, most: number): number {
    if (!isByTerm(kind)) return Number(trimBySegment.run(company, kind, before, most).changes)
    let removed = 0
    for (let term = -1; removed < most; ) {
      const next = one<{ major: number }>(nextTerm, company, kind, term)
      if (next === undefined) break
      term = next.major
      removed += Number(trimByTerm.run(company, kind, term, before, most - removed).changes)
    }
    return removed
  }

  function keepTerm(...row: [number, ListKind, number, number, Uint8Array]): void {
    const { octets } = one<{ octets: number }>(keepByTerm, ...row)!
    if (octets < LONG_LIST) return
    const [company, kind, major, minor] = row
    const { places } = one<{ places: Uint8Array }>(ofTerm, company, kind, major, minor)!
    rewrite.run(company, kind, major, minor, withoutRepeats(places))
  }

  return {
    trimDigest(countsBefore) {
      const places = [oldestEmail, oldestEvent].map((oldest) => one<{ place: number }>(oldest)!.place)
      const email = segmentOf(places[0]!, EMAILS_A_SEGMENT)
      const event = segmentOf(places[1]!, EVENTS_A_SEGMENT)
      let left = TRIMMED_AT_ONCE
      for (const num of [EVERY_COMPANY, ...all<{ num: number }>(companies).map(({ num }) => num)]) {
        for (const kind of Object.values(LIST))
          left -= trimLists(num, kind, isOfEvents(kind) ? event : email, left)
        left -= Number(trimSpans.run(num, event, left).changes)
        for (const [size, ms] of Object.entries(COUNT_SIZES)) {
          const before = countsBefore[size as CountSize]
          for (const dimension of COUNT_DIMENSIONS) {
            left -= Number(trimCounts.run(num, ms, dimension, before, left).changes)
          }
        }
      }
      return left === 0
    },

    keepDigest({ name, token, from, to }, { lists, spans, counts }) {
      if (advance.run(name, token, from, to).changes === 0) return false
      for (const { company, kind, major, minor, places } of lists) {
        if (isByTerm(kind)) keepTerm(company, kind, major, minor, places)
        else keepList.run(company, kind, major, minor, places)
      }
      for (const { company, segment, minAt, maxAt } of spans) keepSpan.run(company, segment, minAt, maxAt)
      for (const { company, size, dimension, start, domainId, value, type, n } of counts) {
        keepCount.run(company, size, dimension, start, domainId, value, type, n)
      }
      return true
    },
  }
}
