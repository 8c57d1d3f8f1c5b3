/** What the fuzzer and its thread share: the input at hand stays readable when the thread dies or hangs. */
import { MAX } from './mutation.ts'

/** Index of each number in `Shared.numbers`. */
const RUNS = 0
const LENGTH = 1
const PLACES = 2

export interface ThreadData {
  target: string
  seed: number
  seconds: number
  numbers: SharedArrayBuffer
  input: SharedArrayBuffer
}

/** The thread has ended by itself: it found this, or its time is over. */
export interface ThreadResult {
  failure: string | null
}

export class Shared {
  readonly numbers: SharedArrayBuffer
  readonly input: SharedArrayBuffer
  readonly #numbers: Int32Array
  readonly #input: Buffer

  constructor(
    numbers = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
    input = new SharedArrayBuffer(MAX),
  ) {
    this.numbers = numbers
    this.input = input
    this.#numbers = new Int32Array(numbers)
    this.#input = Buffer.from(input)
  }

  begin(input: Buffer): void {
    this.#input.set(input)
    this.#numbers[LENGTH] = input.length
    this.#numbers[RUNS]! += 1
  }

  /** A copy of the input begun last. */
  current(): Buffer {
    return Buffer.from(this.#input.subarray(0, this.#numbers[LENGTH]))
  }

  tell(places: number): void {
    this.#numbers[PLACES] = places
  }

  get counts(): { runs: number; places: number } {
    const [runs = 0, , places = 0] = this.#numbers
    return { runs, places }
  }
}
