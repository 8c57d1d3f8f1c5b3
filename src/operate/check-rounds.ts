/**
 * The checks of domains that are under way on a node, and the rounds in which it looks for further ones that are due.
 */
import { CompanyPlaces } from '../common/company-places.ts'
import { Tally } from '../common/tally.ts'
import type { DueDomain } from '../store/store.ts'
import { SERVICE } from './authority.ts'
import { checkDomain, type DomainVerification } from './domain-verification.ts'
import type { Operation } from './verb.ts'

/** Checks at the same time: one company alone gets eight of them, and four are for companies that have none. */
const PLACES = { size: 20, kept: 4, timesFree: 1 }
/** Domains that a node has at most, those that wait for a place included. */
const MAX = 200
/** Ms between two looks for domains that are due. */
const ROUND_MS = 15_000
/** Soon after the start, so that a service that is restarted often gets to it as well. */
const FIRST_MS = 1_000
/**
 * Ms after which another node checks a domain whose check has not ended: far longer than DNS takes to fail, in turns.
 */
export const CLAIM_MS = 5 * 60_000

export interface DomainChecksParts {
  operation(): Operation
  /** A check has changed what a domain may do, or where its bounces go. */
  onNews(checked: DomainVerification): void
  onFault(error: unknown): void
}

export abstract class CheckRounds {
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

  /** Takes domains that are due. The next round is planned when it ends. */
  protected abstract look(): Promise<unknown>

  protected get stopped(): boolean {
    return this.#stopped
  }

  protected operation(): Operation {
    return this.#parts.operation()
  }

  /** Number of domains that this node may still take. */
  protected get room(): number {
    return MAX - this.#underWay.size
  }

  /** Ids of companies with this number of domains under way, or more. */
  protected companiesWith(domains: number): string[] {
    return this.#taken.from(domains)
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
      await this.look().catch((error: unknown) => this.#fault(error))
      this.#plan(ROUND_MS)
    }, ms)
    this.#timer.unref()
  }

  /** Checks the domains. Companies take turns. */
  protected begin(domains: readonly DueDomain[]): void {
    for (const domain of domains) {
      const check = this.#checkInTurn(domain).finally(() => this.#underWay.delete(check))
      this.#underWay.add(check)
    }
  }

  /** Null: no check is under way. */
  protected oneEnds(): Promise<void> | null {
    return this.#underWay.size === 0 ? null : Promise.race(this.#underWay)
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
