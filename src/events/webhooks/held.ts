/** The events that are held for one webhook: those that wait, in their order, and those under way. */
import type { ToldEvent } from '../../email/told-event.ts'
import type { WebhookTelling } from '../../store/store.ts'
import { comparePlaces, keyOf, type Place, placeBefore, placeOf, tellingOf } from './place.ts'
import type { Share } from './shares.ts'

/** An event on its way to one webhook. */
export interface Message {
  told: ToldEvent
  /** What it takes of the memory, about. */
  octets: number
  /** Made so far. */
  attempts: number
  /** It has been tried before, or is told again by hand: the cursor does not wait for it. */
  again: boolean
}

/**
 * The order of what is told of one email: the events of each recipient come one after the other, and those of the email
 * as a whole after all before them and before all after them.
 */
class EmailOrder {
  /** Positions of recipients, null: the email as a whole. */
  readonly #underWay = new Set<number | null>()
  /** Of these and of what is behind. */
  #concerned = new Set<number | null>()
  /** What waits for something that is under way. */
  behind: Message[] = []

  get isIdle(): boolean {
    return this.#underWay.size === 0
  }

  /** False: it waits behind. */
  begins(message: Message): boolean {
    const { recipient } = message.told.event
    const { size } = this.#concerned
    const waits = recipient === null ? size > 0 : this.#concerned.has(null) || this.#concerned.has(recipient)
    this.#concerned.add(recipient)
    if (waits) this.behind.push(message)
    else this.#underWay.add(recipient)
    return !waits
  }

  /** Gives what waited behind: it is its turn to try again. */
  ends(message: Message): Message[] {
    this.#underWay.delete(message.told.event.recipient)
    this.#concerned = new Set(this.#underWay)
    const { behind } = this
    this.behind = []
    return behind
  }
}

/** New events, and octets of all that is held. */
const MOST_HELD = 500
const MOST_OCTETS = 8 * 1024 ** 2
/** By a part of so much what is expected of the next event follows the size of each. */
const INERTIA = 16

export class Held {
  readonly #octets: Share
  #queue: Message[] = []
  #again: Message[] = []
  /** New events, in their order, and the number of the last event before each of them. */
  readonly #unfinished = new Map<string, number>()
  /** Those told again. */
  readonly #repeated = new Set<string>()
  /** Of emails of which something new is under way. */
  readonly #emails = new Map<string, EmailOrder>()
  /** Up to where new events were begun. */
  #begun: Place = { number: 0, recipient: 0 }
  /** Octets of an event, as those before were. */
  #usual = 0

  constructor(octets: Share) {
    this.#octets = octets
  }

  /** There is room for one, whichever. */
  get mayAdd(): boolean {
    return this.#octets.held < MOST_OCTETS && this.#octets.mayTake
  }

  /** For about so many new ones. `down`: one is enough. */
  room(down: boolean): number {
    if (!this.mayAdd) return 0
    const fitting = Math.ceil((MOST_OCTETS - this.#octets.held) / Math.max(1, this.#usual))
    return Math.max(0, Math.min((down ? 1 : MOST_HELD) - this.#unfinished.size, fitting))
  }

  /** For so many that are told again. */
  roomAgain(down: boolean): number {
    return this.mayAdd ? Math.max(0, (down ? 1 : MOST_HELD) - this.#again.length) : 0
  }

  /** There is so much room that reading for it is worth while. */
  get wantsMore(): boolean {
    const half = this.#unfinished.size <= MOST_HELD / 2 && this.#octets.held <= MOST_OCTETS / 2
    return half && this.mayAdd
  }

  /** Up to this event all is told, or waits to be told again; null: nothing new is held. */
  get toldUpTo(): number | null {
    for (const upTo of this.#unfinished.values()) return upTo
    return null
  }

  add(told: ToldEvent): void {
    this.#unfinished.set(keyOf(tellingOf(told)), told.event.number - 1)
    this.#queue.push(this.#taken(told, 0, false))
  }

  addAgain(told: ToldEvent, attempts: number): void {
    this.#repeated.add(keyOf(tellingOf(told)))
    this.#again.push(this.#taken(told, attempts, true))
  }

  #taken(told: ToldEvent, attempts: number, again: boolean): Message {
    const { octets } = told
    this.#usual += (octets - this.#usual) / INERTIA
    this.#octets.take(octets)
    return { told, octets, attempts, again }
  }

  /** The keys of what is told again and is not committed yet: to be asked for before the store is. */
  get repeated(): ReadonlySet<string> {
    return new Set(this.#repeated)
  }

  /** It can be told no more: the store has it among those that are told again until that is committed. */
  forget(telling: WebhookTelling): void {
    this.#repeated.add(keyOf(telling))
  }

  /** The store has it no more among those that are told again, or has when it is due. */
  committed(telling: WebhookTelling): void {
    this.#repeated.delete(keyOf(telling))
  }

  /** The next, under way from now on; undefined: there is nothing that could be. */
  begin(): Message | undefined {
    const again = this.#again.shift()
    if (again !== undefined) return again
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      const { emailId } = message.told.event
      const place = placeOf(message.told)
      if (comparePlaces(place, this.#begun) > 0) this.#begun = place
      const order = this.#emails.get(emailId) ?? new EmailOrder()
      this.#emails.set(emailId, order)
      if (order.begins(message)) return message
    }
    return undefined
  }

  /** It is under way no more, and takes no memory. */
  end({ octets }: Message): void {
    this.#octets.give(octets)
  }

  /** It needs not be told, or waits to be told again: whatever waited for it waits no longer. */
  finish(message: Message): void {
    // Until that is committed the store still says that it is due.
    if (message.again) return
    const { emailId } = message.told.event
    this.#unfinished.delete(keyOf(tellingOf(message.told)))
    const order = this.#emails.get(emailId)
    if (order === undefined) return
    this.#queue.unshift(...order.ends(message))
    if (order.isIdle) this.#emails.delete(emailId)
  }

  /**
   * What waits is not held any longer. Gives the new events of that: `passed` lie before others that were begun,
   * `before` is the place before the first of the rest; and whether there were some that are told again.
   */
  letGo(): { passed: WebhookTelling[]; before: Place | undefined; again: boolean } {
    const again = this.#again.length > 0
    const waiting = this.#queue.map(({ told }) => told)
    for (const { octets } of [...this.#queue, ...this.#again]) this.#octets.give(octets)
    for (const { told } of this.#again) this.#repeated.delete(keyOf(tellingOf(told)))
    for (const told of waiting) this.#unfinished.delete(keyOf(tellingOf(told)))
    this.#queue = []
    this.#again = []
    const isPassed = (told: ToldEvent) => comparePlaces(placeOf(told), this.#begun) <= 0
    const first = waiting.find((told) => !isPassed(told))
    const before = first === undefined ? undefined : placeBefore(first)
    return { passed: waiting.filter(isPassed).map(tellingOf), before, again }
  }

  /** Nothing more is begun. */
  close(): void {
    for (const { behind } of this.#emails.values()) this.#queue.push(...behind)
    this.#emails.clear()
    this.letGo()
  }
}
