import { monotonic } from './monotonic.ts'

/**
 * This node's right to hand messages over: until when, and for work leased under which token. It ends by itself when the
 * node has not been able to beat for its timeout, for by then others may have taken the work over. Shared memory, so that
 * delivery threads see it end, too, at once and without being told.
 */
export class SendingRight {
  readonly shared: SharedArrayBuffer
  /** Milliseconds on the clock of monotonic.ts, then the token. */
  readonly #values: BigInt64Array

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#values = new BigInt64Array(shared)
  }

  /** Work leased under this token may be handed over until then, and no other. `Infinity` where nobody could take it over. */
  grant(token: number, until: number): void {
    if (Atomics.load(this.#values, 1) !== BigInt(token)) {
      // Ended before the token changes: no reader may ever see the new end beside the old token.
      Atomics.store(this.#values, 0, 0n)
      Atomics.store(this.#values, 1, BigInt(token))
    }
    Atomics.store(this.#values, 0, BigInt(Math.floor(Math.min(until, Number.MAX_SAFE_INTEGER))))
  }

  end(): void {
    Atomics.store(this.#values, 0, 0n)
  }

  /** May what was leased under this token be handed over now? */
  holds(token: number): boolean {
    const until = Atomics.load(this.#values, 0)
    return Atomics.load(this.#values, 1) === BigInt(token) && monotonic() < Number(until)
  }
}
