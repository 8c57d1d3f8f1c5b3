import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Backlog, NOTHING_WAITS, REPLY_SEARCHED } from '../../queue-control.ts'
import type { QueueLane } from '../../store.ts'
import { isCorruption } from '../database.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

/** Due recipients are counted up to here: an exact higher count is of no use, and would hold up other reads. */
const MAX_DUE = 100_000

/** The waiting mail, and its due times. The cost grows with the number of lanes, not with the recipients in them. */
export function queue(
  db: DatabaseSync,
): Direct<'backlog' | 'counts' | 'nextDue' | 'queue' | 'waitingEmails'> {
  const earliest = db.prepare('SELECT min(due_at) AS dueAt FROM lanes')
  const company = db.prepare('SELECT num FROM companies WHERE id = ?')
  const waiting = db.prepare(
    `SELECT c.id AS companyId, l.company, l.domain, l.waiting AS n, l.due_at AS nextDueAt
     FROM lanes l CROSS JOIN companies c ON c.num = l.company
     WHERE l.company BETWEEN ? AND ? ORDER BY l.company, l.domain`,
  )
  const sending = db.prepare(
    `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n
     FROM recipients r INDEXED BY recipients_sending CROSS JOIN companies c ON c.num = r.company
     WHERE r.state = 'sending' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
  )
  const ofDomain = db.prepare(
    `SELECT DISTINCT e.id FROM recipients r INDEXED BY recipients_waiting CROSS JOIN emails e ON e.num = r.email
     WHERE r.state = 'waiting' AND r.company = (SELECT num FROM companies WHERE id = ?) AND e.domain_id = ? LIMIT ?`,
  )
  const message = db.prepare(
    `SELECT lastMessage, lastServer FROM (
       SELECT last_message AS lastMessage, server AS lastServer FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'waiting' AND company = ? AND domain = ? ORDER BY due_at LIMIT ${REPLY_SEARCHED}
     ) WHERE lastMessage IS NOT NULL LIMIT 1`,
  )
  const quarantinedLanes = db.prepare(
    `SELECT c.id AS companyId, r.company, r.domain, count(*) AS n, max(r.last_message) AS lastMessage
     FROM recipients r INDEXED BY recipients_quarantined CROSS JOIN companies c ON c.num = r.company
     WHERE r.state = 'quarantined' AND r.company BETWEEN ? AND ? GROUP BY r.company, r.domain`,
  )
  // An index alone is read, but all of its rows.
  const oldestOfLanes = db.prepare(
    `SELECT c.id AS companyId, chosen.company, chosen.domain, e.created_at AS at
     FROM (SELECT company, domain, min(email) AS email FROM recipients INDEXED BY recipients_waiting
           WHERE state = 'waiting' AND company BETWEEN ? AND ? GROUP BY company, domain) chosen
     CROSS JOIN companies c ON c.num = chosen.company CROSS JOIN emails e ON e.num = chosen.email`,
  )
  const sendingIn = db.prepare(
    `SELECT count(*) AS n FROM recipients INDEXED BY recipients_sending WHERE state = 'sending' AND company BETWEEN ? AND ?`,
  )
  const quarantinedIn = db.prepare(
    `SELECT count(*) AS n FROM recipients INDEXED BY recipients_quarantined
     WHERE state = 'quarantined' AND company BETWEEN ? AND ?`,
  )
  // One look-up for each company.
  const oldest = db.prepare(
    `SELECT e.id, e.created_at AS at
     FROM (
       SELECT min((SELECT r.email FROM recipients r INDEXED BY recipients_waiting_by_age
         WHERE r.state = 'waiting' AND r.company = c.num ORDER BY r.email LIMIT 1)) AS email
       FROM companies c WHERE c.num BETWEEN ? AND ?
     ) chosen CROSS JOIN emails e ON e.num = chosen.email`,
  )
  const waitingIn = db.prepare(
    'SELECT coalesce(sum(waiting), 0) AS n FROM lanes WHERE company BETWEEN ? AND ?',
  )
  const allQuarantined = db.prepare(
    "SELECT count(*) AS n FROM recipients INDEXED BY recipients_quarantined WHERE state = 'quarantined'",
  )
  const allWaiting = db.prepare('SELECT coalesce(sum(waiting), 0) AS n FROM lanes')
  const allSending = db.prepare("SELECT count(*) AS n FROM recipients WHERE state = 'sending'")
  const allDue = db.prepare(
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM lanes l INDEXED BY lanes_by_due CROSS JOIN recipients r INDEXED BY recipients_waiting
       WHERE l.due_at <= ?1 AND r.state = 'waiting' AND r.company = l.company AND r.domain = l.domain AND r.due_at <= ?1
       LIMIT ${MAX_DUE})`,
  )
  const earliestAround = db.prepare('SELECT min(due_at) AS dueAt FROM lanes NOT INDEXED')
  const dueLanes = db.prepare('SELECT company, domain FROM lanes WHERE due_at <= ?')
  const dueOfLane = db.prepare(
    `SELECT count(*) AS n FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? AND due_at <= ?`,
  )
  const nodes = db.prepare('SELECT token FROM nodes')
  const sendingUnder = db.prepare(
    "SELECT count(*) AS n FROM recipients INDEXED BY recipients_sending WHERE state = 'sending' AND lease = ?",
  )
  const sendingByNode = () =>
    sum(all<{ token: number }>(nodes), ({ token }) => one<Count>(sendingUnder, token)!.n)
  const dueByLane = (now: number) =>
    sum(all<LaneName>(dueLanes, now), ({ company, domain }) => one<Count>(dueOfLane, company, domain, now)!.n)

  /** The numbers of companies, both ends included. Null for an unknown company. */
  function range(companyId: string | undefined): [number, number] | null {
    if (companyId === undefined) return [0, Number.MAX_SAFE_INTEGER]
    const num = one<{ num: number }>(company, companyId)?.num
    return num === undefined ? null : [num, num]
  }

  const lastMessageOf = ({ company, domain }: LaneName) =>
    one<Pick<QueueLane, 'lastMessage' | 'lastServer'>>(message, company, domain) ?? null

  return {
    waitingEmails: (companyId, domainId, limit) =>
      all<{ id: string }>(ofDomain, companyId, domainId, limit).map(({ id }) => id),

    nextDue() {
      type Row = { dueAt: number | null }
      return aroundDamage(
        () => one<Row>(earliest)!.dueAt,
        () => one<Row>(earliestAround)!.dueAt,
      )
    },

    /** `due` is counted up to 100,000. Where the database is damaged, the counts leave out the unreadable part. */
    counts(now) {
      return {
        waiting: one<Count>(allWaiting)!.n,
        sending: aroundDamage(() => one<Count>(allSending)!.n, sendingByNode),
        quarantined: aroundDamage(
          () => one<Count>(allQuarantined)!.n,
          () => 0,
        ),
        due: aroundDamage(
          () => one<Count>(allDue, now)!.n,
          () => dueByLane(now),
        ),
      }
    },

    /** By company, then domain. */
    queue(companyId) {
      const wanted = range(companyId)
      if (wanted === null) return []
      const lanes = new Map<string, QueueLane>()
      const laneOf = ({ companyId, company, domain }: LaneOwner): QueueLane => {
        const key = `${company} ${domain}`
        const known = lanes.get(key)
        if (known !== undefined) return known
        const nothing = {
          waiting: 0,
          sending: 0,
          quarantined: 0,
          nextDueAt: null,
          oldestAt: null,
          lastMessage: null,
          lastServer: null,
        }
        const lane = { companyId, domain, ...nothing }
        lanes.set(key, lane)
        return lane
      }
      for (const row of all<WaitingRow>(waiting, ...wanted)) {
        Object.assign(laneOf(row), { waiting: row.n, nextDueAt: row.nextDueAt, ...lastMessageOf(row) })
      }
      aroundDamage(
        () => {
          for (const row of all<OldestRow>(oldestOfLanes, ...wanted)) laneOf(row).oldestAt = row.at
        },
        () => {},
      )
      for (const row of all<LaneCountRow>(sending, ...wanted)) laneOf(row).sending = row.n
      for (const row of all<LaneCountRow & { lastMessage: string | null }>(quarantinedLanes, ...wanted)) {
        const lane = laneOf(row)
        lane.quarantined = row.n
        lane.lastMessage ??= row.lastMessage
      }
      return [...lanes.values()]
    },

    backlog(companyId) {
      const wanted = range(companyId)
      if (wanted === null) return NOTHING_WAITS
      const count = (statement: StatementSync) => one<Count>(statement, ...wanted)!.n
      const safely = (statement: StatementSync) =>
        aroundDamage(
          () => count(statement),
          () => 0,
        )
      return {
        waiting: count(waitingIn),
        sending: safely(sendingIn),
        quarantined: safely(quarantinedIn),
        oldest: aroundDamage(
          () => one<NonNullable<Backlog['oldest']>>(oldest, ...wanted) ?? null,
          () => null,
        ),
      }
    },
  }
}

/** Sums up, leaving out damaged parts. */
function sum<T>(all: readonly T[], count: (one: T) => number): number {
  return all.reduce(
    (total, one) =>
      total +
      aroundDamage(
        () => count(one),
        () => 0,
      ),
    0,
  )
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

interface LaneName {
  company: number
  domain: string
}

interface LaneOwner extends LaneName {
  companyId: string
}

interface LaneCountRow extends LaneOwner {
  n: number
}

interface OldestRow extends LaneOwner {
  at: number
}

interface WaitingRow extends LaneCountRow {
  nextDueAt: number
}
