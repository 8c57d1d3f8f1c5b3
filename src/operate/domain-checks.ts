/**
 * Asks DNS for the records of domains that send, for as long as the service runs: a record that is lost shows at once,
 * and rotations of DKIM keys go on. The nodes share the domains.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import { Tally } from '../common/tally.ts'
import type { DueDomain } from '../store/store.ts'
import { SERVICE } from './authority.ts'
import { checkDomain, type DomainVerification } from './domain-verification.ts'
import type { Operation } from './verb.ts'

/** Checks under way on one node: one company alone gets eight of them, and four are for companies that have none. */
const PLACES = { size: 20, kept: 4, timesFree: 1 }
/** Domains that a node takes at once, and that it has at most, those that wait for a place included. */
const STEP = 20
const MOST = 200
/** The most checks of one company at a time, so that those of other companies get their turn. */
const MOST_OF_ONE = 8
/** Ms between two looks for domains that are due. */
const ROUND_MS = 15_000
/** Soon after the start, so that a service that is restarted often gets to it as well. */
const FIRST_MS = 1_000
/**
 * Ms after which another node checks a domain whose check has not ended: far longer than DNS takes to fail, in turns.
 */
const CLAIM_MS = 5 * 60_000

export interface DomainChecksParts {
  operation(): Operation
  /** A check has changed what a domain may do, or where its bounces go. */
  onNews(checked: DomainVerification): void
  onFault(error: unknown): void
}

export class DomainChecks {
  readonly #parts: DomainChecksParts
  readonly #places = new CompanyPlaces(PLACES)
  /** Number of domains of each company that this node has taken. */
  readonly #taken = new Tally()
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(parts: DomainChecksParts) {
    this.#parts = parts
  }

  start(): void {
    this.#plan(FIRST_MS)
  }

  /** Does not wait for DNS: a check that is cut off is due again, here or on another node. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #plan(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(async () => {
      await this.checkDue().catch((error: unknown) => this.#fault(error))
      this.#plan(ROUND_MS)
    }, ms)
    this.#timer.unref()
  }

  /**
   * Checks the domains that are due, until none is. Companies take turns, and each check that ends makes room for
   * another one: a company whose name servers are silent delays its own domains alone.
   */
  async checkDue(): Promise<void> {
    while (!this.#stopped) {
      while (await this.#takeSome());
      if (this.#underWay.size === 0) return
      await Promise.race(this.#underWay)
    }
  }

  /** True when more may be due. */
  async #takeSome(): Promise<boolean> {
    const limit = Math.min(STEP, MOST - this.#underWay.size)
    if (limit <= 0 || this.#stopped) return false
    const { store, now } = this.#parts.operation()
    const at = now()
    const except = this.#taken.from(MOST_OF_ONE)
    const due = await store.claimDomainChecks({ now: at, until: at + CLAIM_MS, limit, except })
    for (const domain of due) {
      const check = this.#checkInTurn(domain).finally(() => this.#underWay.delete(check))
      this.#underWay.add(check)
    }
    return due.length === limit
  }

  async #checkInTurn({ id, companyId }: DueDomain): Promise<void> {
    this.#taken.add(companyId, 1)
    const leave = await this.#places.take(companyId)
    try {
      if (!this.#stopped) await this.#check(id)
    } catch (error) {
      this.#fault(error)
    } finally {
      leave()
      this.#taken.add(companyId, -1)
    }
  }

  async #check(id: string): Promise<void> {
    const { operation, onNews } = this.#parts
    const result = await checkDomain({ ...operation(), caller: SERVICE }, id)
    if (result === null) return
    if (result.news.length > 0) onNews(result)
  }

  #fault(error: unknown): void {
    if (!this.#stopped) this.#parts.onFault(error)
  }
}
