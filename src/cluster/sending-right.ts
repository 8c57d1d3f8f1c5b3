import { monotonic } from '../common/clock.ts'

/** Both in milliseconds. */
export interface Clocks {
  monotonic(): number
  /** Unix time. */
  wall(): number
}

const CLOCKS: Clocks = { monotonic, wall: () => Date.now() }
/** Places in the shared memory: the token, and its end on either clock. */
const TOKEN = 0
const UNTIL = 1
const UNTIL_WALL = 2

/**
 * This node's right to hand messages over: until when, and for work leased under which token. It ends by itself when
 * the node has not been able to beat for its timeout, for by then others may have taken the work over. Shared memory,
 * so that delivery threads see it end, too, at once and without being told.
 *
 * It ends on the clock that gets there first. The monotonic one cannot be set back; the wall clock may also tell of
 * time that the other has slept through, while the machine was suspended. If it is set forward, the next beat mends
 * that.
 */
export class SendingRight {
  readonly shared: SharedArrayBuffer
  readonly #values: BigInt64Array
  readonly #clocks: Clocks

  constructor(
    shared: SharedArrayBuffer = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT),
    clocks: Clocks = CLOCKS,
  ) {
    this.shared = shared
    this.#values = new BigInt64Array(shared)
    this.#clocks = clocks
  }

  /**
   * Work leased under this token may be handed over until then, and no other. `Infinity` where nobody could take it
   * over.
   */
  grant(token: number, until: number): void {
    if (Atomics.load(this.#values, TOKEN) !== BigInt(token)) {
      // Ended before the token changes: no reader may ever see the new end beside the old token.
      this.end()
      Atomics.store(this.#values, TOKEN, BigInt(token))
    }
    Atomics.store(this.#values, UNTIL_WALL, whole(until - this.#clocks.monotonic() + this.#clocks.wall()))
    Atomics.store(this.#values, UNTIL, whole(until))
  }

  end(): void {
    Atomics.store(this.#values, UNTIL, 0n)
  }

  /** May what was leased under this token be handed over now? */
  holds(token: number): boolean {
    const until = Atomics.load(this.#values, UNTIL)
    const untilWall = Atomics.load(this.#values, UNTIL_WALL)
    if (Atomics.load(this.#values, TOKEN) !== BigInt(token)) return false
    return this.#clocks.monotonic() < Number(until) && this.#clocks.wall() < Number(untilWall)
  }
}

function whole(ms: number): bigint {
  return BigInt(Math.floor(Math.min(ms, Number.MAX_SAFE_INTEGER)))
}
