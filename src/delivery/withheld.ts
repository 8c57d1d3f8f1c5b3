import type { SendingDomain } from '../accounts/account.ts'
import type { Store } from '../store/store.ts'
import type { ReadyDelivery } from './ready-queues.ts'

/** Work of a domain that may not send is looked at again after this long. */
const HELD_MS = 60_000
/** Requests to cancel are looked for this long after the queue has changed: it changes much more often than they do. */
const CANCELS_MS = 100
const BACK_OFF_MS = 500

/** Why a delivery is given back instead of being begun, and when it is due again (Unix ms). */
export interface Withholding {
  dueAt: number
  held: boolean
  why: string
}

export interface WithheldParts {
  store: Pick<Store, 'cancelRequests' | 'heldDomains' | 'releaseHeld'>
  /** Domain an email is sent from, by id. */
  domain(id: string): SendingDomain | undefined
  /** Mail that was held is due now. */
  onReleased(): void
  log: { error(o: object, m: string): void }
}

/** What must not go out now although its time has come: mail of a domain that may not send, and what is to be canceled. */
export class Withheld {
  readonly #parts: WithheldParts
  /** Domains (ids) whose mail was given back because they may not send. */
  readonly #heldDomains = new Set<string>()
  /** Emails with recipients under way that are to be canceled. */
  #toCancel: ReadonlySet<string> = new Set()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(parts: WithheldParts) {
    this.#parts = parts
  }

  /** Takes over what was held or to be canceled when the process before ended. */
  async start(): Promise<void> {
    for (const id of await this.#parts.store.heldDomains()) this.#heldDomains.add(id)
    this.domainsChanged()
    await this.#readCancels()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Null when the delivery may begin. */
  reason({ email }: Pick<ReadyDelivery, 'email'>, now: number): Withholding | null {
    // The store ends it as canceled when it is given back.
    if (this.#toCancel.has(email.id)) return { dueAt: now, held: false, why: 'Canceled before it was begun' }
    const domain = this.#parts.domain(email.domainId)
    if (domain?.sending === 'active') return null
    this.#heldDomains.add(email.domainId)
    const why = `Sending from ${domain?.name ?? 'a removed domain'} is not active; held`
    return { dueAt: now + HELD_MS, held: true, why }
  }

  /** Domains may have become active: what was held for them is due now. */
  domainsChanged(): void {
    const { store, domain, onReleased, log } = this.#parts
    for (const id of this.#heldDomains) {
      if (domain(id)?.sending !== 'active') continue
      this.#heldDomains.delete(id)
      const now = Date.now()
      // What is held again from now on is due later than that.
      store.releaseHeld(id, { now, dueBefore: now + HELD_MS + 1 }).then(onReleased, (error) => {
        log.error({ err: error }, 'Held mail could not be released; it is looked at within a minute')
      })
    }
  }

  /** There may be requests to cancel. */
  queueChanged(): void {
    this.#look(CANCELS_MS)
  }

  #look(ms: number): void {
    if (!this.#stopped) this.#timer ??= setTimeout(() => void this.#readCancels(), ms).unref()
  }

  async #readCancels(): Promise<void> {
    this.#timer = undefined
    try {
      this.#toCancel = new Set(await this.#parts.store.cancelRequests())
    } catch (error) {
      this.#parts.log.error({ err: error }, 'Requests to cancel could not be read; trying again')
      this.#look(BACK_OFF_MS)
    }
  }
}
