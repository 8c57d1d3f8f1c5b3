/**
 * Asks DNS for the records of domains that send, for as long as the service runs: a record that is lost shows at once,
 * and rotations of DKIM keys go on. The nodes share the domains.
 */
import { CheckRounds, CLAIM_MS } from './check-rounds.ts'

/** Domains that a node takes at once. */
const STEP = 20
/** The most checks of one company at a time, so that those of other companies get their turn. */
const MAX_OF_ONE = 8

export class DomainChecks extends CheckRounds {
  protected override look(): Promise<void> {
    return this.checkDue()
  }

  /**
   * Checks the domains that are due, until none is. Each check that ends makes room for another one: a company whose
   * name servers are silent delays its own domains alone.
   */
  async checkDue(): Promise<void> {
    while (!this.stopped) {
      while (await this.#takeSome());
      const end = this.oneEnds()
      if (end === null) return
      await end
    }
  }

  /** True when more may be due. */
  async #takeSome(): Promise<boolean> {
    const limit = Math.min(STEP, this.room)
    if (limit <= 0 || this.stopped) return false
    const { store, now } = this.operation()
    const at = now()
    const except = this.companiesWith(MAX_OF_ONE)
    const due = await store.claimDomainChecks({ now: at, until: at + CLAIM_MS, limit, except })
    this.begin(due)
    return due.length === limit
  }
}
