import type { QuarantinedEmail, QueueLane, StoreCounts } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { isCorruption } from '../database.ts'
import { all, one } from '../rows.ts'

/**
 * Due recipients are counted up to here: a count that goes on is of no use to anyone, and costs reads of everybody
 * else.
 */
const MOST_DUE = 100_000

/** What waits, and when its time comes. The cost grows with the lanes that wait, not with the recipients in them. */
export class QueueReader extends OnConnection {
  readonly #nextDue = this.db.prepare('SELECT min(due_at) AS dueAt FROM lanes')
  readonly #company = this.db.prepare('SELECT num FROM companies WHERE id = ?')
  readonly #waiting = this.db.prepare(
    `SELECT c.id AS companyId, l.company, l.domain, l.waiting AS n, l.due_at AS nextDueAt
     FROM lanes l CROSS JOIN companies c ON c.num = l.company
     WHERE l.company BETWEEN ? AND ? ORDER BY l.company, l.domain`,
  )
  readonly #sending = this.db.prepare(
    `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n
     FROM recipients r INDEXED BY recipients_sending CROSS JOIN companies c ON c.num = r.company
     WHERE r.state = 'sending' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
  )
  readonly #message = this.db.prepare(
    `SELECT lastMessage FROM (
       SELECT last_message AS lastMessage FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'waiting' AND company = ? AND domain = ? ORDER BY due_at LIMIT 20
     ) WHERE lastMessage IS NOT NULL LIMIT 1`,
  )
  readonly #quarantined = this.db.prepare(
    `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n, max(r.last_message) AS lastMessage
     FROM recipients r INDEXED BY recipients_quarantined CROSS JOIN companies c ON c.num = r.company
     WHERE r.state = 'quarantined' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
  )
  readonly #quarantinedEmails = this.db.prepare(
    `SELECT e.id, c.id AS companyId, e.header_from AS "from", e.subject, chosen.recipients, chosen.message,
            (SELECT max(at) FROM events WHERE email = e.num AND type = 'delivery_delayed') AS since
     FROM (
       SELECT email, count(*) AS recipients, max(last_message) AS message
       FROM recipients INDEXED BY recipients_quarantined
       WHERE state = 'quarantined' AND company BETWEEN ? AND ? GROUP BY email ORDER BY email DESC LIMIT ?
     ) chosen CROSS JOIN emails e ON e.num = chosen.email CROSS JOIN companies c ON c.num = e.company
     ORDER BY chosen.email DESC`,
  )
  readonly #allQuarantined = this.db.prepare(
    "SELECT count(*) AS n FROM recipients INDEXED BY recipients_quarantined WHERE state = 'quarantined'",
  )
  readonly #allWaiting = this.db.prepare('SELECT coalesce(sum(waiting), 0) AS n FROM lanes')
  readonly #allSending = this.db.prepare("SELECT count(*) AS n FROM recipients WHERE state = 'sending'")
  readonly #allDue = this.db.prepare(
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM lanes l INDEXED BY lanes_by_due CROSS JOIN recipients r INDEXED BY recipients_waiting
       WHERE l.due_at <= ?1 AND r.state = 'waiting' AND r.company = l.company AND r.domain = l.domain AND r.due_at <= ?1
       LIMIT ${MOST_DUE})`,
  )
  readonly #nextDueAround = this.db.prepare('SELECT min(due_at) AS dueAt FROM lanes NOT INDEXED')
  readonly #dueLanes = this.db.prepare('SELECT company, domain FROM lanes WHERE due_at <= ?')
  readonly #dueOfLane = this.db.prepare(
    `SELECT count(*) AS n FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? AND due_at <= ?`,
  )
  readonly #nodes = this.db.prepare('SELECT token FROM nodes')
  readonly #sendingUnder = this.db.prepare(
    "SELECT count(*) AS n FROM recipients INDEXED BY recipients_sending WHERE state = 'sending' AND lease = ?",
  )
  // From one domain to the next, however many recipients each has.
  readonly #heldDomains = this.db.prepare(
    `WITH RECURSIVE held (domain) AS (
       SELECT min(held_domain) FROM recipients INDEXED BY recipients_held WHERE held_domain IS NOT NULL
       UNION ALL
       SELECT (SELECT min(held_domain) FROM recipients INDEXED BY recipients_held WHERE held_domain > held.domain) FROM held WHERE domain IS NOT NULL
     ) SELECT domain AS domainId FROM held WHERE domain IS NOT NULL`,
  )

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

  /** `due` is counted up to 100,000. Where the database is damaged, the numbers leave out what cannot be counted. */
  counts(now: number): StoreCounts {
    return {
      waiting: one<Count>(this.#allWaiting)!.n,
      sending: aroundDamage(
        () => one<Count>(this.#allSending)!.n,
        () => this.#sendingByNode(),
      ),
      quarantined: aroundDamage(
        () => one<Count>(this.#allQuarantined)!.n,
        () => 0,
      ),
      due: aroundDamage(
        () => one<Count>(this.#allDue, now)!.n,
        () => this.#dueByLane(now),
      ),
    }
  }

  #sendingByNode(): number {
    const tokens = all<{ token: number }>(this.#nodes)
    return sum(
      tokens.map(
        ({ token }) =>
          () =>
            one<Count>(this.#sendingUnder, token)!.n,
      ),
    )
  }

  #dueByLane(now: number): number {
    const lanes = all<{ company: number; domain: string }>(this.#dueLanes, now)
    return sum(
      lanes.map(
        ({ company, domain }) =>
          () =>
            one<Count>(this.#dueOfLane, company, domain, now)!.n,
      ),
    )
  }

  /** By company, then domain. `lastMessage` is looked for among the twenty recipients of a lane that are due first. */
  lanes(companyId?: string): QueueLane[] {
    const range = this.#range(companyId)
    if (range === null) return []
    const lanes = new Map<string, QueueLane>()
    for (const row of all<LaneRow & { nextDueAt: number }>(this.#waiting, ...range)) {
      const { companyId, company, domain, n, nextDueAt } = row
      const lastMessage = one<{ lastMessage: string }>(this.#message, company, domain)?.lastMessage ?? null
      lanes.set(`${company} ${domain}`, {
        companyId,
        domain,
        waiting: n,
        sending: 0,
        quarantined: 0,
        nextDueAt,
        lastMessage,
      })
    }
    for (const { companyId, company, domain, n } of all<LaneRow>(this.#sending, ...range)) {
      const lane = lanes.get(`${company} ${domain}`)
      if (lane !== undefined) lane.sending = n
      else {
        const empty = { waiting: 0, quarantined: 0, nextDueAt: null, lastMessage: null }
        lanes.set(`${company} ${domain}`, { companyId, domain, sending: n, ...empty })
      }
    }
    for (const { companyId, company, domain, n, lastMessage } of all<
      LaneRow & { lastMessage: string | null }
    >(this.#quarantined, ...range)) {
      const lane = lanes.get(`${company} ${domain}`)
      if (lane !== undefined) {
        lane.quarantined = n
        lane.lastMessage ??= lastMessage
      } else {
        const empty = { waiting: 0, sending: 0, nextDueAt: null }
        lanes.set(`${company} ${domain}`, { companyId, domain, ...empty, quarantined: n, lastMessage })
      }
    }
    return [...lanes.values()]
  }

  /** Newest first. */
  quarantined({ companyId, limit }: { companyId?: string; limit: number }): QuarantinedEmail[] {
    const range = this.#range(companyId)
    return range === null ? [] : all<QuarantinedEmail>(this.#quarantinedEmails, ...range, limit)
  }

  /** Numbers of companies, the ends included. Null for one that is not there. */
  #range(companyId: string | undefined): [number, number] | null {
    if (companyId === undefined) return [0, Number.MAX_SAFE_INTEGER]
    const num = one<{ num: number }>(this.#company, companyId)?.num
    return num === undefined ? null : [num, num]
  }
}

/** Leaving out what is damaged. */
function sum(counts: (() => number)[]): number {
  return counts.reduce((total, count) => total + aroundDamage(count, () => 0), 0)
}

function aroundDamage<T>(read: () => T, around: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isCorruption(error)) throw error
    return around()
  }
}

interface Count {
  n: number
}

interface LaneRow {
  companyId: string
  company: number
  domain: string
  n: number
}
