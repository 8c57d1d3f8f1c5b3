/**
 * Asks DNS for the records of domains that wait for their first ones, so that a domain may send soon after they are
 * published, even if nobody has its page open. Apart from the checks of domains that send: a company can add thousands
 * of names, whose name servers are silent or do not exist.
 */
import { CheckRounds, CLAIM_MS } from './check-rounds.ts'

/** The most domains that a node takes in a round, which bounds its questions to DNS. */
const MAX = 100
/** The same of one company: about one a second, while it has that many. */
const MAX_OF_ONE = 16

export class SetupChecks extends CheckRounds {
  protected override look(): Promise<void> {
    return this.takeDue()
  }

  /** Begins the checks of a round, and does not wait for their ends, which may take longer. */
  async takeDue(): Promise<void> {
    const limit = Math.min(MAX, this.room)
    if (limit <= 0) return
    const { store, now } = this.operation()
    const at = now()
    const except = this.companiesWith(MAX_OF_ONE)
    const claim = { now: at, until: at + CLAIM_MS, limit, ofOne: MAX_OF_ONE, except }
    this.begin(await store.claimSetupChecks(claim))
  }

  /** Resolves when no check is under way. */
  async settled(): Promise<void> {
    for (let end = this.oneEnds(); end !== null; end = this.oneEnds()) await end
  }
}
