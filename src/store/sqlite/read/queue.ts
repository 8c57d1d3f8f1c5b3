import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { QueueLane, StoreCounts } from '../../store.ts'
import { all, one } from '../rows.ts'

/** What waits, and when its time comes. */
export class QueueReader {
  readonly #nextDue: StatementSync
  readonly #company: StatementSync
  readonly #waiting: StatementSync
  readonly #leased: StatementSync
  readonly #message: StatementSync
  readonly #counts: StatementSync

  constructor(db: DatabaseSync) {
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
  }

  nextDue(): number | null {
    return one<{ dueAt: number | null }>(this.#nextDue)?.dueAt ?? null
  }

  counts(now: number): StoreCounts {
    return { ...one<StoreCounts>(this.#counts, now)! }
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

interface LaneRow {
  companyId: string
  company: number
  domain: string
  n: number
}
