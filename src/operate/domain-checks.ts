/**
 * Asks DNS for the records of domains that send, for as long as the service runs: a record that is lost shows at once,
 * and rotations of DKIM keys go on. The nodes share the domains.
 */
import { SERVICE } from './authority.ts'
import { checkDomain, type VerifiedDomain } from './domain-verification.ts'
import type { Operation } from './verb.ts'

/** Domains of one step. */
const STEP = 20
/** Ms between two looks for domains that are due. */
const ROUND_MS = 15_000
/** Soon after the start, so that a service that is restarted often gets to it as well. */
const FIRST_MS = 1_000
/** Ms after which another node checks a domain whose check has not ended: far longer than DNS takes to fail. */
const CLAIM_MS = 5 * 60_000

export interface DomainChecksParts {
  operation(): Operation
  /** A check has changed what a domain may do, or where its bounces go. */
  onNews(checked: VerifiedDomain): void
  onFault(error: unknown): void
}

export class DomainChecks {
  readonly #parts: DomainChecksParts
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
      const checked = await this.step().catch((error: unknown) => this.#fault(error))
      this.#plan(checked === STEP ? 0 : ROUND_MS)
    }, ms)
    this.#timer.unref()
  }

  /** Checks domains that are due, and returns how many there were. */
  async step(): Promise<number> {
    const { store, now } = this.#parts.operation()
    const at = now()
    const ids = await store.claimDomainChecks({ now: at, until: at + CLAIM_MS, limit: STEP })
    await Promise.all(ids.map((id) => this.#check(id).catch((error: unknown) => this.#fault(error))))
    return ids.length
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
