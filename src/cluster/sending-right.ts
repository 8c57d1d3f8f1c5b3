import { monotonic } from '../common/clock.ts'

/** Both in milliseconds. */
export interface Clocks {
  monotonic(): number
  /** Unix time. */
  wall(): number
}

const CLOCKS: Clocks = { monotonic, wall: () => Date.now() }
/** Indices in the shared memory: the token, and its end on either clock. */
const TOKEN = 0
const UNTIL = 1
const UNTIL_WALL = 2

/**
 * This node's right to hand messages over: until when, and for work leased under which token. It ends by itself when
 * the node has not been able to beat for its timeout, because other nodes may have taken the work over by then. It lies
 * in shared memory, so that delivery threads see it end at once, without a message.
 *
 * It ends on whichever clock gets there first. The monotonic clock cannot be set back; the wall clock also counts time
 * that the monotonic one has missed while the machine was suspended. If the wall clock is set forward, the next beat
 * corrects that.
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
   * Allows work leased under this token, and no other, to be handed over until `until`, in monotonic ms. `Infinity`
   * where no other node could take it over.
   */
  grant(token: number, until: number): void {
    if (Atomics.load(this.#values, TOKEN) !== BigInt(token)) {
      // The right ends before the token changes: no reader may ever see the new end beside the old token.
      this.end()
      Atomics.store(this.#values, TOKEN, BigInt(token))
    }
    Atomics.store(this.#values, UNTIL_WALL, whole(until - this.#clocks.monotonic() + this.#clocks.wall()))
    Atomics.store(this.#values, UNTIL, whole(until))
  }

  end(): void {
    Atomics.store(this.#values, UNTIL, 0n)
  }

  /** Tells whether work leased under this token may be handed over now. */
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
