import { monotonic } from '../common/clock.ts'
import type { AttemptRecord, ClaimedEmail, ClaimedRecipient, RecipientRecord } from '../store/store.ts'
import type { ReadyDelivery } from './deliveries.ts'

/**
 * How long (ms) refused results are remembered, and how many at most: a recipient that has not been claimed again by
 * then will not be.
 */
const KEPT_MS = 3_600_000
const MAX_KEPT = 10_000

/** A refused result of one recipient. */
interface RefusedResult {
  attempt: AttemptRecord
  /** On the monotonic clock. */
  at: number
}

/**
 * The recipients of a claimed email that may be begun, and results of those that are done and only need to be recorded.
 */
interface ClaimSplit {
  go: ClaimedRecipient[]
  done: AttemptRecord[]
}

/**
 * Results that come under a lease that this node has lost. A node that was stopped, or cut off from the database, for
 * longer than its timeout goes on under a new lease, and may then claim recipients whose message it has handed over
 * itself meanwhile: the store refused the result, so to all other nodes the message was never sent. This class
 * remembers it. A recipient still under way under the old lease waits, under the new one, for the end of its attempt; a
 * recipient that has its result gets that result instead of a second copy.
 */
export class LateResults {
  /** Deliveries that were begun and whose result is not recorded. */
  readonly #begun = new Set<ReadyDelivery>()
  /**
   * The latest lease that work was claimed under, and the recipients that were under way under an older one by then.
   */
  #token = Number.NaN
  readonly #old = new Set<string>()
  /** Recipients claimed anew that wait for the end of their older attempt, with the token of their present lease. */
  readonly #waiting = new Map<string, number>()
  /** Oldest first. */
  readonly #refused = new Map<string, RefusedResult>()
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  begin(ready: ReadyDelivery): void {
    this.#begun.add(ready)
  }

  /** Sorts the recipients of an email claimed under this lease. Null in the usual case: all may be begun. */
  sift(email: ClaimedEmail, token: number): ClaimSplit | null {
    if (token !== this.#token) this.#leaseChanged(token)
    if (this.#old.size === 0 && this.#refused.size === 0) return null
    this.#forget()
    const split: ClaimSplit = { go: [], done: [] }
    for (const recipient of email.recipients) {
      const name = nameOf(email.id, recipient.position)
      const refused = this.#refused.get(name)
      if (refused !== undefined) split.done.push({ ...refused.attempt, leaseToken: token })
      else if (this.#old.has(name)) this.#waiting.set(name, token)
      else split.go.push(recipient)
    }
    return split.go.length === email.recipients.length ? null : split
  }

  /**
   * The store has answered: it refused these positions and recorded the others. `ready`: the delivery that the attempt
   * belongs to. Returns the results to record under another lease.
   */
  settle(attempt: AttemptRecord, refused: readonly number[], ready?: ReadyDelivery): AttemptRecord[] {
    const heldAgain: { recipient: RecipientRecord; token: number }[] = []
    if (refused.length > 0 || this.#refused.size > 0) {
      for (const recipient of attempt.recipients) {
        const name = nameOf(attempt.emailId, recipient.position)
        if (!refused.includes(recipient.position)) {
          this.#refused.delete(name)
          continue
        }
        if (mustNotRepeat(recipient)) this.#keep(name, { ...attempt, recipients: [recipient] })
        const token = this.#waiting.get(name)
        if (token !== undefined) heldAgain.push({ recipient, token })
      }
    }
    if (ready !== undefined) this.end(ready)
    if (heldAgain.length === 0) return []
    return [...Map.groupBy(heldAgain, ({ token }) => token)].map(([leaseToken, held]) => {
      return { ...attempt, leaseToken, recipients: held.map(({ recipient }) => recipient) }
    })
  }

  /** The delivery, divided by the leases of its recipients: some may have been claimed anew, and wait for its end. */
  byLease(ready: ReadyDelivery): ReadyDelivery[] {
    const parts = Map.groupBy(
      ready.recipients,
      ({ position }) => this.#waiting.get(nameOf(ready.email.id, position)) ?? ready.leaseToken,
    )
    return [...parts].map(([leaseToken, recipients]) => ({ ...ready, leaseToken, recipients }))
  }

  /** Forgets a delivery once the store has answered for all of its results, or it was quarantined. */
  end(ready: ReadyDelivery): void {
    this.#begun.delete(ready)
    if (this.#old.size === 0) return
    for (const name of namesOf(ready)) {
      this.#old.delete(name)
      this.#waiting.delete(name)
    }
  }

  /** No delivery is begun under an older lease from now on. */
  #leaseChanged(token: number): void {
    this.#token = token
    this.#old.clear()
    for (const ready of this.#begun) {
      if (ready.leaseToken === token) continue
      for (const name of namesOf(ready)) this.#old.add(name)
    }
  }

  #keep(name: string, attempt: AttemptRecord): void {
    // The oldest come first.
    this.#refused.delete(name)
    this.#refused.set(name, { attempt, at: this.#now() })
    this.#forget()
  }

  #forget(): void {
    const before = this.#now() - KEPT_MS
    for (const [name, { at }] of this.#refused) {
      if (at > before && this.#refused.size <= MAX_KEPT) return
      this.#refused.delete(name)
    }
  }
}

/** True when the message has arrived, or may have. */
function mustNotRepeat({ decision: { tried, change } }: RecipientRecord): boolean {
  return tried && (change?.state === 'delivered' || change?.uncertain === true)
}

function namesOf({ email, recipients }: ReadyDelivery): string[] {
  return recipients.map(({ position }) => nameOf(email.id, position))
}

function nameOf(emailId: string, position: number): string {
  return `${emailId} ${position}`
}
