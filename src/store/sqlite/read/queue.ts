import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { QueueLane, StoreCounts } from '../../store.ts'
import { isCorruption } from '../database.ts'
import { all, one } from '../rows.ts'

/** What waits, and when its time comes. */
export class QueueReader {
  readonly #nextDue: StatementSync
  readonly #company: StatementSync
  readonly #waiting: StatementSync
  readonly #leased: StatementSync
  readonly #message: StatementSync
  readonly #counts: StatementSync
  readonly #nextDueAround: StatementSync
  readonly #lanes: StatementSync
  readonly #waitingOfLane: StatementSync
  readonly #nodes: StatementSync
  readonly #leasedUnder: StatementSync

  readonly #heldDomains: StatementSync

  constructor(db: DatabaseSync) {
    this.#heldDomains = db.prepare('SELECT DISTINCT domain_id AS domainId FROM held_recipients')
    this.#nextDue = db.prepare('SELECT min(due_at) AS dueAt FROM lanes')
    this.#company = db.prepare('SELECT num FROM companies WHERE id = ?')
    this.#waiting = db.prepare(
      `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n, min(r.due_at) AS nextDueAt
       FROM recipients r INDEXED BY recipients_waiting CROSS JOIN companies c ON c.num = r.company
       WHERE r.state = 'waiting' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
    )
    this.#leased = db.prepare(
      `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n
       FROM recipients r INDEXED BY recipients_leased CROSS JOIN companies c ON c.num = r.company
       WHERE r.state = 'leased' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
    )
    this.#message = db.prepare(
      `SELECT lastMessage FROM (
         SELECT last_message AS lastMessage FROM recipients INDEXED BY recipients_waiting
         WHERE state = 'waiting' AND company = ? AND domain = ? ORDER BY due_at LIMIT 100
       ) WHERE lastMessage IS NOT NULL LIMIT 1`,
    )
    this.#counts = db.prepare(
      `SELECT count(*) AS waiting, coalesce(sum(due_at <= ?), 0) AS due,
              (SELECT count(*) FROM recipients WHERE state = 'leased') AS leased
       FROM recipients WHERE state = 'waiting'`,
    )
    this.#nextDueAround = db.prepare('SELECT min(due_at) AS dueAt FROM lanes NOT INDEXED')
    this.#lanes = db.prepare('SELECT company, domain FROM lanes')
    this.#waitingOfLane = db.prepare(
      `SELECT count(*) AS waiting, coalesce(sum(due_at <= ?), 0) AS due FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'waiting' AND company = ? AND domain = ?`,
    )
    this.#nodes = db.prepare('SELECT token FROM nodes')
    this.#leasedUnder = db.prepare(
      "SELECT count(*) AS leased FROM recipients INDEXED BY recipients_leased WHERE state = 'leased' AND lease = ?",
    )
  }

  heldDomains(): string[] {
    return all<{ domainId: string }>(this.#heldDomains).map(({ domainId }) => domainId)
  }

  nextDue(): number | null {
    type Row = { dueAt: number | null }
    const row = aroundDamage(
      () => one<Row>(this.#nextDue),
      () => one<Row>(this.#nextDueAround),
    )
    return row?.dueAt ?? null
  }

  /** Where the database is damaged, the numbers leave out what cannot be counted. */
  counts(now: number): StoreCounts {
    return aroundDamage(
      () => ({ ...one<StoreCounts>(this.#counts, now)! }),
      () => this.#countsByLane(now),
    )
  }

  #countsByLane(now: number): StoreCounts {
    const counts: StoreCounts = { waiting: 0, leased: 0, due: 0 }
    for (const { company, domain } of all<{ company: number; domain: string }>(this.#lanes)) {
      const lane = aroundDamage(
        () => one<{ waiting: number; due: number }>(this.#waitingOfLane, now, company, domain)!,
        () => ({ waiting: 0, due: 0 }),
      )
      counts.waiting += lane.waiting
      counts.due += lane.due
    }
    for (const { token } of all<{ token: number }>(this.#nodes)) {
      counts.leased += aroundDamage(
        () => one<{ leased: number }>(this.#leasedUnder, token)!.leased,
        () => 0,
      )
    }
    return counts
  }

  /** By company, then domain. `lastMessage` is looked for among the hundred recipients of a lane that are due first. */
  lanes(companyId?: string): QueueLane[] {
    let range: [number, number] = [0, Number.MAX_SAFE_INTEGER]
    if (companyId !== undefined) {
      const num = one<{ num: number }>(this.#company, companyId)?.num
      if (num === undefined) return []
      range = [num, num]
    }
    const lanes = new Map<string, QueueLane>()
    for (const row of all<LaneRow & { nextDueAt: number }>(this.#waiting, ...range)) {
      const { companyId, company, domain, n, nextDueAt } = row
      const lastMessage = one<{ lastMessage: string }>(this.#message, company, domain)?.lastMessage ?? null
      lanes.set(`${company} ${domain}`, { companyId, domain, waiting: n, leased: 0, nextDueAt, lastMessage })
    }
    for (const { companyId, company, domain, n } of all<LaneRow>(this.#leased, ...range)) {
      const lane = lanes.get(`${company} ${domain}`)
      if (lane !== undefined) lane.leased = n
      else {
        const empty = { waiting: 0, nextDueAt: null, lastMessage: null }
        lanes.set(`${company} ${domain}`, { companyId, domain, leased: n, ...empty })
      }
    }
    return [...lanes.values()]
  }
}

function aroundDamage<T>(read: () => T, around: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isCorruption(error)) throw error
    return around()
  }
}

interface LaneRow {
  companyId: string
  company: number
  domain: string
  n: number
}
