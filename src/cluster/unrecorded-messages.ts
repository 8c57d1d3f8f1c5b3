import { monotonic } from '../common/clock.ts'

/**
 * Indices in the shared memory, 32 bits each: the bound; the time since which it has been reached (0: it is not
 * reached); a count of freed places; the time of the last recorded result; a measure of how many of the last answers
 * were slow (up to SLOWEST); the time of the last slow answer.
 */
const LIMIT = 0
const FULL_SINCE = 1
const FREED = 2
const RECORDED_AT = 3
const SLOWNESS = 4
const SLOW_AT = 5
/**
 * The counts begin at this index: that of the main thread, then that of each delivery thread. A held place adds HELD to
 * the count, and ANSWERED as well once its delivery has an answer.
 */
const COUNTS = 6
const HELD = 1
const ANSWERED = 1 << 16

/** Milliseconds between two checks of the deliveries that wait. */
const LOOK_MS = 50
/** Checks in a row that must find the bound reached before slow servers count as the cause. */
const SLOW_LOOKS = 20
/** Milliseconds. An answer that takes longer is slow, and is remembered as slow for this time. */
const SLOW_MS = 1_000
/**
 * The limit of the measure of slow answers. Each slow answer adds one to the measure, each other answer subtracts one.
 * Above half of the limit, servers count as slow.
 */
const SLOWEST = 16
/** A store that has results to write, and has written none for this many milliseconds, counts as stalled. */
const PROMPT_MS = 200
/** Milliseconds after which a waiting delivery is not handed over any more. */
const PATIENCE_MS = 60_000

/** One company's places of this thread, and its deliveries that wait for one, oldest first. */
interface CompanyShare {
  held: number
  waiting: { place: HandoverSlot; until: number; resolve: (mayHandOver: boolean) => void }[]
}

/**
 * Messages of this node that are handed over and not yet recorded: those that may be sent twice if the node ends now.
 * Their number is bounded: each takes a place right before its final dot, and gives it back when its result is durable,
 * or when its server has not taken it. Counts lie in memory shared with the delivery threads.
 *
 * While servers take their time over the final dot, waiting deliveries alone would hold the places. So when no answer
 * has come for a second, or most of the last ones took longer than that, further deliveries may go as well, as long as
 * the store writes results promptly and most holders of a place have no answer yet. A free place goes to the company
 * that holds the fewest: one company's mail to slow servers holds up no other company.
 */
export class UnrecordedMessages {
  readonly shared: SharedArrayBuffer
  readonly #values: Int32Array
  /** Index of this thread's count. */
  readonly #own: number
  readonly #now: () => number
  /** By company; a company that neither holds nor waits for a place has no entry. */
  readonly #shares = new Map<string, CompanyShare>()
  /** Deliveries that wait. */
  #waiting = 0
  /** FULL_SINCE at the last check, and how many checks have found it unchanged. */
  #fullSince = 0
  #looks = 0

  /** Memory for the main thread and this number of delivery threads. */
  static shared(limit: number, threads: number): SharedArrayBuffer {
    const shared = new SharedArrayBuffer((COUNTS + 1 + threads) * Int32Array.BYTES_PER_ELEMENT)
    new Int32Array(shared)[LIMIT] = limit
    return shared
  }

  /** `thread`: number of the delivery thread, from 1; 0 is the main thread, which records. */
  constructor(shared: SharedArrayBuffer, thread = 0, now: () => number = monotonic) {
    this.shared = shared
    this.#values = new Int32Array(shared)
    this.#own = COUNTS + thread
    this.#now = now
  }

  /** Places that are held. */
  get held(): number {
    return this.#total() & (ANSWERED - 1)
  }

  /**
   * The place of one delivery. `mayHandOver` tells whether the delivery may still be handed over once there is a place.
   */
  place(companyId: string, mayHandOver: () => boolean): HandoverSlot {
    return new HandoverSlot(this, companyId, mayHandOver)
  }

  /** The main thread has received a result of this delivery thread, with its place. */
  received(thread: number): void {
    Atomics.add(this.#values, COUNTS, HELD + ANSWERED)
    Atomics.sub(this.#values, COUNTS + thread, HELD + ANSWERED)
  }

  /**
   * This delivery thread has died: each of its deliveries may have been handed over, and holds a place until it is
   * recorded.
   */
  lost(thread: number, deliveries: number): void {
    Atomics.add(this.#values, COUNTS, deliveries * (HELD + ANSWERED))
    Atomics.store(this.#values, COUNTS + thread, 0)
    this.#freed()
  }

  /** Frees the place of one result: it has become durable, or never will. */
  recorded(): void {
    Atomics.sub(this.#values, COUNTS, HELD + ANSWERED)
    Atomics.store(this.#values, RECORDED_AT, this.#ms())
    this.#freed()
  }

  /** For HandoverSlot: waits behind the deliveries that wait already. */
  take(place: HandoverSlot): boolean | Promise<boolean> {
    const share = this.#shareOf(place.companyId)
    if (this.#waiting === 0 && this.#tryTake()) {
      this.#give(share, place)
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    share.waiting.push({ place, until: this.#now() + PATIENCE_MS, resolve })
    this.#waiting++
    if (this.#waiting === 1) void this.#serve()
    return promise
  }

  #give(share: CompanyShare, place: HandoverSlot): void {
    share.held++
    place.heldSince = this.#now()
  }

  #tryTake(): boolean {
    // Take first, then check: when two threads take the last place at once, both see it and neither keeps it.
    Atomics.add(this.#values, this.#own, HELD)
    const total = this.#total()
    if ((total & (ANSWERED - 1)) <= Atomics.load(this.#values, LIMIT)) return true
    if (Atomics.load(this.#values, FULL_SINCE) === 0) Atomics.store(this.#values, FULL_SINCE, this.#ms() | 1)
    if (this.#serversAreSlow(total >> 16)) return true
    Atomics.sub(this.#values, this.#own, HELD)
    return false
  }

  /** The delivery of this slot stops waiting. */
  leave(place: HandoverSlot): void {
    const share = this.#shares.get(place.companyId)
    const at = share?.waiting.findIndex((waiting) => waiting.place === place) ?? -1
    if (at < 0) return
    const [left] = share!.waiting.splice(at, 1)
    this.#waiting--
    this.#forget(place.companyId, share!)
    left!.resolve(false)
  }

  /**
   * For HandoverSlot: the delivery held since then has its answer, or will never get one. The place stays with the
   * result if a server may have the message.
   */
  ended({ companyId }: HandoverSlot, heldSince: number, arrived: boolean): void {
    const share = this.#shares.get(companyId)!
    share.held--
    this.#forget(companyId, share)
    if (arrived) {
      Atomics.add(this.#values, this.#own, ANSWERED)
      this.#learn(this.#now() - heldSince > SLOW_MS)
    } else {
      Atomics.sub(this.#values, this.#own, HELD)
      this.#freed()
    }
  }

  #learn(slow: boolean): void {
    const slowness = Atomics.load(this.#values, SLOWNESS)
    if (slow) Atomics.store(this.#values, SLOW_AT, this.#ms())
    if (slow ? slowness < SLOWEST : slowness > 0) Atomics.add(this.#values, SLOWNESS, slow ? 1 : -1)
  }

  #shareOf(companyId: string): CompanyShare {
    let share = this.#shares.get(companyId)
    if (share === undefined) {
      share = { held: 0, waiting: [] }
      this.#shares.set(companyId, share)
    }
    return share
  }

  #forget(companyId: string, { held, waiting }: CompanyShare): void {
    if (held === 0 && waiting.length === 0) this.#shares.delete(companyId)
  }

  #total(): number {
    let total = 0
    for (let at = COUNTS; at < this.#values.length; at++) total += Atomics.load(this.#values, at)
    return total
  }

  #serversAreSlow(answered: number): boolean {
    const noAnswers = this.#looks >= SLOW_LOOKS && this.#fullSince === Atomics.load(this.#values, FULL_SINCE)
    if (!(noAnswers || this.#answersAreSlow()) || answered * 2 >= Atomics.load(this.#values, LIMIT))
      return false
    return answered === 0 || ((this.#ms() - Atomics.load(this.#values, RECORDED_AT)) | 0) < PROMPT_MS
  }

  #answersAreSlow(): boolean {
    if (Atomics.load(this.#values, SLOWNESS) * 2 <= SLOWEST) return false
    return ((this.#ms() - Atomics.load(this.#values, SLOW_AT)) | 0) < SLOW_MS
  }

  #freed(): void {
    if (Atomics.load(this.#values, FULL_SINCE) === 0) return
    if (this.held < Atomics.load(this.#values, LIMIT)) Atomics.store(this.#values, FULL_SINCE, 0)
    Atomics.add(this.#values, FREED, 1)
    Atomics.notify(this.#values, FREED)
  }

  /** Hands out places, in order, for as long as deliveries wait. */
  async #serve(): Promise<void> {
    let lookedAt = this.#now()
    while (this.#waiting > 0) {
      const freed = Atomics.load(this.#values, FREED)
      this.#handOn()
      if (this.#waiting === 0) return
      await Atomics.waitAsync(this.#values, FREED, freed, LOOK_MS).value
      if (this.#now() - lookedAt < LOOK_MS) continue
      lookedAt = this.#now()
      this.#look()
    }
  }

  /** Counted in checks, not in time: between two checks this thread has processed the servers' answers. */
  #look(): void {
    const fullSince = Atomics.load(this.#values, FULL_SINCE)
    this.#looks = fullSince !== 0 && fullSince === this.#fullSince ? this.#looks + 1 : 0
    this.#fullSince = fullSince
    const waiting = [...this.#shares.values()].flatMap((share) => share.waiting)
    for (const { place, until } of waiting) {
      if (this.#now() > until || !place.mayHandOver()) this.leave(place)
    }
  }

  #handOn(): void {
    for (let share = this.#next(); share !== null && this.#tryTake(); share = this.#next()) {
      const { place, resolve } = share.waiting.shift()!
      this.#waiting--
      this.#give(share, place)
      resolve(place.mayHandOver())
    }
  }

  /** The waiting company that holds the fewest places; among equals the one that has waited longest. */
  #next(): CompanyShare | null {
    let next: CompanyShare | null = null
    for (const share of this.#shares.values()) {
      if (share.waiting.length === 0) continue
      const fewer = next === null ? -1 : share.held - next.held
      if (fewer < 0 || (fewer === 0 && share.waiting[0]!.until < next!.waiting[0]!.until)) next = share
    }
    return next
  }

  /** Milliseconds on a clock that all threads share. 0 means "not set", and the clock hardly ever shows it. */
  #ms(): number {
    return this.#now() | 0
  }
}

/** The place of one delivery: taken before its first final dot, and kept for further ones. */
export class HandoverSlot {
  readonly companyId: string
  readonly mayHandOver: () => boolean
  /** For UnrecordedMessages: on its clock; null while the place is not held. */
  heldSince: number | null = null
  readonly #unrecorded: UnrecordedMessages

  constructor(unrecorded: UnrecordedMessages, companyId: string, mayHandOver: () => boolean) {
    this.companyId = companyId
    this.mayHandOver = mayHandOver
    this.#unrecorded = unrecorded
  }

  /** Called right before the final dot: tells whether it may be sent. A promise when it has to wait for a place. */
  take(): boolean | Promise<boolean> {
    if (!this.mayHandOver()) return false
    return this.heldSince !== null || this.#unrecorded.take(this)
  }

  /**
   * The delivery has ended. `arrived`: a server has the message, or may have it. True when the place stays with the
   * result, to be given back when that is recorded.
   */
  release(arrived: boolean): boolean {
    const { heldSince } = this
    if (heldSince === null) {
      this.#unrecorded.leave(this)
      return false
    }
    this.heldSince = null
    this.#unrecorded.ended(this, heldSince, arrived)
    return arrived
  }
}
