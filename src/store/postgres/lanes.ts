import type { LaneRooms } from '../lane-rooms.ts'
import { int4s, texts, uuids } from './arrays.ts'
import type { Database, DatabaseSession, Statement } from './database.ts'

/**
 * A lane is one company's ready recipients at one domain. Claims of different nodes never take the same rows: each
 * skips rows that another has locked.
 */
export interface LaneCandidate {
  /** Number of its turn among the given ones, from 1. */
  turn: number
  domain: string
  email: string
  position: number
  size: number
  /** Upper bound of the recipients of its email that share a transaction with it, itself included. */
  together: number
  /** The number of candidates requested from its lane. */
  quota: number
}

/** The key of a transaction of several recipients: an email at a domain. */
export function transactionOf({ email, domain }: Pick<LaneCandidate, 'email' | 'domain'>): string {
  return `${email} ${domain}`
}

/** The room that one company has in a claim. */
export interface CompanyTurn {
  company: number
  room: number
}

/** The room of single lanes in a claim, and the domains that it leaves out. */
export interface LaneLimits {
  rooms: LaneRooms<number>
  /** The room of each lane that `rooms` does not name. */
  roomOfOthers: number
  skipDomains: string[]
}

/** Stands for any number of recipients. */
const ANY_NUMBER = 2 ** 31 - 1

/** Sorts after every domain, because domains are ASCII. */
const AFTER_ALL = '\uffff'

/** Companies are looked up one after the other: further rows of the same company are skipped. */
const COMPANIES: Statement = {
  name: 'ready-companies',
  text: `
WITH RECURSIVE ready (company) AS (
  (SELECT company FROM queue WHERE lease IS NULL AND ready ORDER BY company, domain, due_at LIMIT 1)
  UNION ALL
  SELECT (SELECT q.company FROM queue q WHERE q.lease IS NULL AND q.ready AND q.company > r.company
          ORDER BY q.company, q.domain, q.due_at LIMIT 1)
  FROM ready r WHERE r.company IS NOT NULL
)
SELECT company FROM ready WHERE company IS NOT NULL`,
}

/**
 * For each company ($1) at most as many lanes as it has room for ($3), starting at its place in the round ($2) and
 * wrapping around at the end; each lane gives its share of the room, those due longest first. $4: now. $5, $6: lanes to
 * skip, $7: domains to skip. $8, $9, $10: lanes with a limit, $11: that of the others. A step from lane to lane is one
 * index look-up; the walk ends when enough lanes were found.
 */
const CANDIDATES: Statement = {
  name: 'claim-candidates',
  text: `
WITH turn AS MATERIALIZED (
  SELECT * FROM unnest($1::int4[], $2::text[], $3::int4[]) WITH ORDINALITY AS t (company, place, room, num)
), lane AS MATERIALIZED (
  SELECT t.num, t.company, t.room, l.domain, l.nr, count(*) OVER (PARTITION BY t.num) AS lanes
  FROM turn t CROSS JOIN LATERAL (
    WITH RECURSIVE walk (domain, around, nr) AS (
      (
        (SELECT q.domain, false, 1 FROM queue q
         WHERE q.lease IS NULL AND q.ready AND q.company = t.company AND q.domain >= t.place COLLATE "C"
         ORDER BY q.domain, q.due_at LIMIT 1)
        UNION ALL
        (SELECT q.domain, true, 1 FROM queue q
         WHERE q.lease IS NULL AND q.ready AND q.company = t.company AND q.domain < t.place COLLATE "C"
         ORDER BY q.domain, q.due_at LIMIT 1)
        LIMIT 1
      )
      UNION ALL
      SELECT n.domain, n.around, w.nr + 1
      FROM walk w CROSS JOIN LATERAL (
        (SELECT q.domain, w.around FROM queue q
         WHERE q.lease IS NULL AND q.ready AND q.company = t.company AND q.domain > w.domain
           AND q.domain < CASE WHEN w.around THEN t.place ELSE '${AFTER_ALL}' END COLLATE "C"
         ORDER BY q.domain, q.due_at LIMIT 1)
        UNION ALL
        (SELECT q.domain, true FROM queue q
         WHERE NOT w.around AND q.lease IS NULL AND q.ready AND q.company = t.company AND q.domain < t.place COLLATE "C"
         ORDER BY q.domain, q.due_at LIMIT 1)
        LIMIT 1
      ) n
    )
    SELECT w.domain, w.nr FROM walk w
    WHERE NOT ((t.company, w.domain) IN (SELECT * FROM unnest($5::int4[], $6::text[])))
      AND NOT (w.domain IN (SELECT * FROM unnest($7::text[])))
    LIMIT t.room
  ) l
)
SELECT l.num AS turn, l.domain, l.quota, c.email, c.position, c.size, c.together
FROM (
  SELECT l.*, least((l.room + l.lanes - 1) / l.lanes, coalesce(r.room, $11::int4)) AS quota
  FROM lane l LEFT JOIN unnest($8::int4[], $9::text[], $10::int4[]) AS r (company, domain, room)
    ON r.company = l.company AND r.domain = l.domain
) l CROSS JOIN LATERAL (
  SELECT q.email, q.position, q.size, q.together FROM queue q
  WHERE q.lease IS NULL AND q.ready AND q.company = l.company AND q.domain = l.domain AND q.due_at <= $4
  ORDER BY q.due_at LIMIT l.quota FOR UPDATE SKIP LOCKED
) c
ORDER BY l.num, l.nr`,
}

/**
 * The due recipients of these emails ($1) at these domains ($2), whether or not they have a place in the turns. $3:
 * now.
 */
const OF_EMAILS: Statement = {
  name: 'claim-together',
  text: `
SELECT d.email, d.position, d.domain
FROM unnest($1::uuid[]) AS t (email) CROSS JOIN LATERAL (
  SELECT q.email, q.position, q.domain FROM queue q
  WHERE q.email = ANY (ARRAY[t.email]) AND q.domain = ANY ($2::text[]) AND q.lease IS NULL AND q.due_at <= $3
  ORDER BY q.position FOR UPDATE SKIP LOCKED
) d`,
}

/** The order of turns, as this node sees it. Companies take turns, and so do the lanes of a company. */
export class LaneTurns {
  readonly #database: Database
  /** The number of each company's last turn. The numbers rise with every turn. */
  readonly #served = new Map<number, number>()
  /** By company: the lane (or the position just after it) with which its next turn begins. */
  readonly #places = new Map<number, string>()
  #turns = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Companies that have ready recipients, those served longest ago first. */
  async companies(): Promise<number[]> {
    const rows = await this.#database.look<{ company: number }>(COMPANIES)
    const companies = rows.map(({ company }) => company)
    this.#forget(new Set(companies))
    return companies.sort((a, b) => (this.#served.get(a) ?? 0) - (this.#served.get(b) ?? 0))
  }

  /**
   * Locks the rows for this transaction: at most as many as there is room for, plus one per lane. By turn, then lane.
   */
  async candidates(
    session: DatabaseSession,
    turns: readonly CompanyTurn[],
    now: number,
    { rooms, roomOfOthers, skipDomains }: LaneLimits,
  ): Promise<LaneCandidate[]> {
    const companies = turns.map(({ company }) => company)
    const ofTurns = new Set(companies)
    const limited = [...rooms.lanes()].filter(({ company }) => ofTurns.has(company))
    const skipped = limited.filter(({ left }) => left <= 0)
    const open = limited.filter(({ left }) => left > 0)
    return await session.run<LaneCandidate>(CANDIDATES, [
      int4s(companies),
      texts(companies.map((company) => this.#places.get(company) ?? '')),
      int4s(turns.map(({ room }) => room)),
      now,
      int4s(skipped.map(({ company }) => company)),
      texts(skipped.map(({ domain }) => domain)),
      texts(skipDomains),
      int4s(open.map(({ company }) => company)),
      texts(open.map(({ domain }) => domain)),
      int4s(open.map(({ left }) => left)),
      Math.min(roomOfOthers, ANY_NUMBER),
    ])
  }

  /**
   * The chosen candidates and, after each, those that share a transaction with it: the due recipients of its email at
   * its domain, at most `together` of them. They are locked as well.
   */
  async completed(
    session: DatabaseSession,
    chosen: readonly LaneCandidate[],
    now: number,
    together: number,
  ): Promise<LaneCandidate[]> {
    const several = chosen.filter((candidate) => candidate.together > 1)
    if (several.length === 0) return [...chosen]
    const rows = await session.run<Pick<LaneCandidate, 'email' | 'position' | 'domain'>>(OF_EMAILS, [
      uuids([...new Set(several.map(({ email }) => email))]),
      texts([...new Set(several.map(({ domain }) => domain))]),
      now,
    ])
    const byTransaction = Map.groupBy(rows, transactionOf)
    return chosen.flatMap((candidate) => {
      if (candidate.together === 1) return [candidate]
      const all = byTransaction.get(transactionOf(candidate)) ?? []
      const others = all.filter(({ position }) => position !== candidate.position)
      return [candidate, ...others.slice(0, together - 1).map(({ position }) => ({ ...candidate, position }))]
    })
  }

  /** Notes that the company has had its turn, which ended with this lane. */
  served(company: number, lastDomain: string): void {
    this.#served.set(company, ++this.#turns)
    this.#places.set(company, `${lastDomain}\u0001`)
  }

  /** Puts the lane first in the company's next turn, because there was no room for its next email. */
  keepFirst(company: number, domain: string): void {
    this.#served.set(company, 0)
    this.#places.set(company, domain)
  }

  /** A company without ready recipients starts anew. */
  #forget(ready: ReadonlySet<number>): void {
    if (this.#places.size <= ready.size) return
    for (const company of this.#places.keys()) if (!ready.has(company)) this.#places.delete(company)
    for (const company of this.#served.keys()) if (!ready.has(company)) this.#served.delete(company)
  }
}
