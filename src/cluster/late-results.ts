import { monotonic } from '../common/clock.ts'
import type { AttemptRecord, ClaimedEmail, ClaimedRecipient, RecipientRecord } from '../store/store.ts'

/**
 * So long (ms), and so many at most, are results remembered that were refused: who has not met them again by then will
 * not.
 */
const KEPT_MS = 3_600_000
const MAX_KEPT = 10_000

/** A delivery as far as it matters here. */
export interface Begun {
  email: { id: string }
  recipients: readonly { position: number }[]
  leaseToken: number
}

/** A result that was refused, of this one recipient. */
interface Refused {
  attempt: AttemptRecord
  /** On the monotonic clock. */
  at: number
}

/** What of a claimed email may be begun, and what of it is done and need only be written down. */
export interface Sifted {
  go: ClaimedRecipient[]
  done: AttemptRecord[]
}

/**
 * Results that come under a lease this node has lost. A node that was stopped, or cut off from the database, for longer
 * than its timeout goes on under a new lease, and what it takes then may be what it has itself handed over meanwhile:
 * the fence refused the result, so everybody else thinks it was never sent. Here it is remembered. What is still under
 * way from the old lease waits, under the new one, for the end of its attempt; what has its result gets that result
 * instead of a second copy.
 */
export class LateResults {
  /** Deliveries that were begun and whose result is not written down. */
  readonly #begun = new Set<Begun>()
  /** The latest lease that work was claimed under, and recipients that were under way from an older one by then. */
  #token = Number.NaN
  readonly #old = new Set<string>()
  /** Recipients claimed anew that wait for the end of their older attempt, with the lease they are under now. */
  readonly #waiting = new Map<string, number>()
  /** Oldest first. */
  readonly #refused = new Map<string, Refused>()
  readonly #now: () => number

  constructor(now: () => number = monotonic) {
    this.#now = now
  }

  begin(ready: Begun): void {
    this.#begun.add(ready)
  }

  /** Of what was claimed under this lease. Null in the usual case, in which all may be begun. */
  sift(email: ClaimedEmail, token: number): Sifted | null {
    if (token !== this.#token) this.#leaseChanged(token)
    if (this.#old.size === 0 && this.#refused.size === 0) return null
    this.#forget()
    const sifted: Sifted = { go: [], done: [] }
    for (const recipient of email.recipients) {
      const name = nameOf(email.id, recipient.position)
      const refused = this.#refused.get(name)
      if (refused !== undefined) sifted.done.push({ ...refused.attempt, leaseToken: token })
      else if (this.#old.has(name)) this.#waiting.set(name, token)
      else sifted.go.push(recipient)
    }
    return sifted.go.length === email.recipients.length ? null : sifted
  }

  /**
   * The store has answered: these positions were refused, the others are written down. `ready`: what was begun for it.
   * Returns what is to be written under another lease.
   */
  settle(attempt: AttemptRecord, refused: readonly number[], ready?: Begun): AttemptRecord[] {
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
    if (ready !== undefined) this.#end(ready)
    return [...Map.groupBy(heldAgain, ({ token }) => token)].map(([leaseToken, held]) => {
      return { ...attempt, leaseToken, recipients: held.map(({ recipient }) => recipient) }
    })
  }

  #end(ready: Begun): void {
    this.#begun.delete(ready)
    if (this.#old.size === 0) return
    for (const name of namesOf(ready)) {
      this.#old.delete(name)
      this.#waiting.delete(name)
    }
  }

  /** Nothing more is begun under the older ones. */
  #leaseChanged(token: number): void {
    this.#token = token
    this.#old.clear()
    for (const ready of this.#begun) {
      if (ready.leaseToken === token) continue
      for (const name of namesOf(ready)) this.#old.add(name)
    }
  }

  #keep(name: string, attempt: AttemptRecord): void {
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

/** The message has arrived, or may have. */
function mustNotRepeat({ decision: { tried, change } }: RecipientRecord): boolean {
  return tried && (change?.state === 'delivered' || change?.uncertain === true)
}

function namesOf({ email, recipients }: Begun): string[] {
  return recipients.map(({ position }) => nameOf(email.id, position))
}

function nameOf(emailId: string, position: number): string {
  return `${emailId} ${position}`
}
