import { WithParts } from '../connection.ts'
import { all, one } from '../rows.ts'
import type { Damage } from './damage.ts'
import type { StateCache } from './state-caches.ts'
import { UniqueQueue } from './unique-queue.ts'

/** Lanes that become due are looked up in portions of this size. */
const PORTION = 256

/** Sorts after every domain, because domains are ASCII. */
const AFTER_ALL_DOMAINS = '\uffff'

interface DomainLane {
  dueAt: number
  domain: string
}

/**
 * The lanes of one company, remembered between claims. The table `lanes` is the truth; this only says where to look.
 */
interface CompanyLanes {
  /** Lanes that are due, in the order of their turns. */
  ready: UniqueQueue
  /** Lanes up to here (by due time, then domain) have been put into `ready`. */
  seen: DomainLane
  /** No lane beyond `seen` is due before this time. */
  nextDue: number
}

/**
 * The order of turns. A lane is one company's waiting recipients at one domain; the table `lanes` holds the earliest
 * due time of each and their exact number. Companies take turns, and so do the lanes of a company, at a cost that does
 * not grow with mail that is not due: a waiting company costs a comparison, a waiting lane nothing.
 */
export class Lanes extends WithParts<{ damage: Damage }> implements StateCache {
  readonly #companies = new Map<number, CompanyLanes>()
  #stale = true
  readonly #more = this.db.prepare(
    'UPDATE lanes SET waiting = waiting + ? WHERE company = ? AND domain = ? AND due_at <= ?',
  )
  readonly #raise = this.db.prepare(
    `INSERT INTO lanes (waiting, company, domain, due_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET waiting = waiting + excluded.waiting, due_at = excluded.due_at`,
  )
  readonly #earliest = this.db.prepare(
    `SELECT due_at AS dueAt FROM recipients INDEXED BY recipients_waiting
     WHERE state = 'waiting' AND company = ? AND domain = ? ORDER BY due_at LIMIT 1`,
  )
  readonly #set = this.db.prepare(
    'UPDATE lanes SET due_at = ?, waiting = waiting - ? WHERE company = ? AND domain = ?',
  )
  readonly #drop = this.db.prepare('DELETE FROM lanes WHERE company = ? AND domain = ?')
  readonly #portion = this.db.prepare(
    `SELECT due_at AS dueAt, domain FROM lanes INDEXED BY lanes_of_company_by_due
     WHERE company = ? AND (due_at, domain) > (?, ?) AND due_at <= ? ORDER BY due_at, domain LIMIT ${PORTION}`,
  )
  readonly #next = this.db.prepare(
    `SELECT due_at AS dueAt FROM lanes INDEXED BY lanes_of_company_by_due
     WHERE company = ? AND (due_at, domain) > (?, ?) ORDER BY due_at, domain LIMIT 1`,
  )
  readonly #companyAfter = this.db.prepare(
    `SELECT company, due_at AS dueAt FROM lanes INDEXED BY lanes_of_company_by_due
     WHERE company > ? ORDER BY company, due_at LIMIT 1`,
  )
  readonly #numbers = this.db.prepare('SELECT num AS company FROM companies')
  readonly #first = this.db.prepare(
    `SELECT due_at AS dueAt FROM lanes INDEXED BY lanes_of_company_by_due
     WHERE company = ? ORDER BY due_at LIMIT 1`,
  )

  /** The remembered lanes may be wrong: a transaction was rolled back, or another process wrote. */
  forget(): void {
    this.#stale = true
  }

  /** `count` more recipients of this lane wait until `dueAt`. */
  add(company: number, domain: string, dueAt: number, count: number): void {
    // Usually other recipients of the lane are due earlier; then the indexes by due time stay as they are.
    if (this.#more.run(count, company, domain, dueAt).changes === 0) {
      this.#raise.run(count, company, domain, dueAt)
    }
    this.#place(company, { domain, dueAt })
  }

  /** `ceased` recipients of this lane no longer wait, or some wait until another time than before. */
  refresh(company: number, domain: string, ceased: number): void {
    const earliest = one<{ dueAt: number }>(this.#earliest, company, domain)
    if (earliest === undefined) {
      this.#drop.run(company, domain)
      this.#companies.get(company)?.ready.remove(domain)
      return
    }
    this.#set.run(earliest.dueAt, ceased, company, domain)
    const ready = this.#place(company, { domain, dueAt: earliest.dueAt })
    if (!ready) this.#companies.get(company)?.ready.remove(domain)
  }

  /** Companies that have due work, those served longest ago first. */
  due(now: number): number[] {
    if (this.#stale) this.#reload(now)
    const due: number[] = []
    for (const [company, lanes] of this.#companies) {
      if (lanes.seen.dueAt > now) this.#rewind(lanes)
      if (this.parts.damage.company(company, now)) continue
      if (lanes.nextDue <= now) this.#wake(company, lanes, now)
      if (lanes.ready.size > 0) due.push(company)
    }
    return due
  }

  /**
   * Takes the lane whose turn it is; undefined when no more are due. The lane returns by `refresh` (after work was
   * taken), `putBack` or `keepFirst`.
   */
  take(company: number, now: number): string | undefined {
    const lanes = this.#companies.get(company)
    if (lanes === undefined) return undefined
    if (lanes.ready.size === 0 && lanes.nextDue <= now) {
      this.#wake(company, lanes, now)
    }
    return lanes.ready.take()
  }

  /** Nothing was taken from the lane: it waits for its next turn. */
  putBack(company: number, domain: string): void {
    this.#companies.get(company)?.ready.add(domain)
  }

  /** There was no room for the lane's next email: the lane comes first in the next turn. */
  keepFirst(company: number, domain: string): void {
    this.#companies.get(company)?.ready.addFirst(domain)
  }

  /** The company has had its turn. */
  served(company: number): void {
    const lanes = this.#companies.get(company)
    if (lanes === undefined) return
    this.#companies.delete(company)
    this.#companies.set(company, lanes)
  }

  /** Puts the lane where a claim will find it at its due time. True when the lane is ready. */
  #place(company: number, lane: DomainLane): boolean {
    const lanes = this.#companies.get(company) ?? this.#remember(company, lane.dueAt)
    if (compare(lane, lanes.seen) <= 0) {
      lanes.ready.add(lane.domain)
      return true
    }
    lanes.nextDue = Math.min(lanes.nextDue, lane.dueAt)
    return false
  }

  #remember(company: number, nextDue: number): CompanyLanes {
    const lanes = { ready: new UniqueQueue(), seen: { dueAt: Number.MIN_SAFE_INTEGER, domain: '' }, nextDue }
    this.#companies.set(company, lanes)
    return lanes
  }

  /** The clock was set back: lanes that were due are not due any more, and must be found again. */
  #rewind(lanes: CompanyLanes): void {
    lanes.ready = new UniqueQueue()
    lanes.seen = { dueAt: Number.MIN_SAFE_INTEGER, domain: '' }
    lanes.nextDue = Number.MIN_SAFE_INTEGER
  }

  #wake(company: number, lanes: CompanyLanes, now: number): void {
    this.parts.damage.inCompany(company, now, () => {
      const portion = all<DomainLane>(this.#portion, company, lanes.seen.dueAt, lanes.seen.domain, now)
      for (const { domain } of portion) lanes.ready.add(domain)
      lanes.seen = portion.length < PORTION ? { dueAt: now, domain: AFTER_ALL_DOMAINS } : portion.at(-1)!
      const next = one<{ dueAt: number }>(this.#next, company, lanes.seen.dueAt, lanes.seen.domain)
      lanes.nextDue = next?.dueAt ?? Number.POSITIVE_INFINITY
    })
  }

  /** One look-up for each company with waiting recipients. Keeps the order of turns. */
  #reload(now: number): void {
    const before = [...this.#companies.keys()]
    const earliest = this.#earliestOfAll(now)
    this.#companies.clear()
    for (const company of [...before, ...earliest.keys()]) {
      const dueAt = earliest.get(company)
      if (dueAt !== undefined && !this.#companies.has(company)) this.#remember(company, dueAt)
    }
    this.#stale = false
  }

  #earliestOfAll(now: number): Map<number, number> {
    const damage = this.parts.damage
    const earliest = new Map<number, number>()
    if (!damage.index('lanes', now)) {
      return damage.inIndex('lanes', now, () => {
        let row = one<{ company: number; dueAt: number }>(this.#companyAfter, Number.MIN_SAFE_INTEGER)
        while (row !== undefined) {
          earliest.set(row.company, row.dueAt)
          row = one(this.#companyAfter, row.company)
        }
        return earliest
      })
    }
    // A walk would end at the damage. Looked up one by one, all companies are found except those on the damaged page.
    for (const { company } of all<{ company: number }>(this.#numbers)) {
      if (damage.company(company, now)) continue
      const first = damage.inCompany(company, now, () => one<{ dueAt: number }>(this.#first, company))
      if (first !== undefined) earliest.set(company, first.dueAt)
    }
    return earliest
  }
}

/** In SQLite's order: by time, then by the octets of the name (domains are ASCII). */
function compare(a: DomainLane, b: DomainLane): number {
  if (a.dueAt !== b.dueAt) return a.dueAt - b.dueAt
  return a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : 0
}
