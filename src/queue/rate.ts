/** A part of the messages of a minute or hour may leave at once; the rest follows evenly. */
const AT_ONCE = 1 / 10

/**
 * Spreads messages so that no window holds more than its number of them, wherever it begins (the generic cell rate
 * algorithm, ITU-T I.371). One state serves any rate, so the rate may change at any time.
 */
export class Rate {
  readonly #windowMs: number
  #due = Number.NEGATIVE_INFINITY

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Milliseconds until another message may leave; 0: now. `most`: messages of a window, also a part of one. */
  wait(most: number, now: number): number {
    return Math.max(0, this.#due - this.#ahead(most) - now)
  }

  /** When the messages so far would have left had they been spread evenly: all that another state needs to go on. */
  get due(): number {
    return this.#due
  }

  /** Continues from another state, if more messages have left according to that. */
  resume(due: number): void {
    this.#due = Math.max(this.#due, due)
  }

  begin(most: number, now: number): void {
    this.#due = Math.max(this.#due, now) + this.#interval(most)
  }

  /** The time by which a message may be early. */
  #ahead(most: number): number {
    return (atOnce(most) - 1) * this.#interval(most)
  }

  #interval(most: number): number {
    return this.#windowMs / (most - atOnce(most) + 1)
  }
}

function atOnce(most: number): number {
  return Math.max(1, Math.floor(most * AT_ONCE))
}
