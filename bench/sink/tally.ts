/** Counts messages by recipient number: each must arrive exactly once. */
import { now } from '../../harness/clock.ts'
import { recipientNumber } from '../message.ts'
import type { SinkReport } from './order.ts'

/** Milliseconds to wait for a second copy of the last message. */
const LATE = 300

/** Doubled messages that are named. */
const SHOWN = 20

export class Tally {
  readonly #first: number
  readonly #count: number
  readonly #arrivedAt: Float64Array
  readonly #cpuBefore = process.cpuUsage()
  #arrived = 0
  #doubled = 0
  readonly #doubles: number[] = []
  #strangers = 0
  #octets = 0
  #messages = 0
  #watch: NodeJS.Timeout | undefined

  constructor(first: number, count: number) {
    this.#first = first
    this.#count = count
    this.#arrivedAt = new Float64Array(count)
  }

  /** Resolves a moment after every message has arrived, or when none has for `patience` ms. */
  complete(patience: number): Promise<void> {
    return new Promise((resolve) => {
      this.#watch = setTimeout(resolve, patience)
      this.#whenComplete = () => {
        clearTimeout(this.#watch)
        setTimeout(resolve, LATE)
      }
    })
  }

  #whenComplete: () => void = () => {}

  take(recipients: readonly string[], octets: number): void {
    this.#messages++
    this.#octets += octets
    for (const recipient of recipients) this.#arrive(recipientNumber(recipient) - this.#first)
  }

  #arrive(index: number): void {
    if (!(index >= 0 && index < this.#count)) this.#strangers++
    else if (this.#arrivedAt[index] !== 0) this.#double(index)
    else {
      this.#arrivedAt[index] = now()
      if (++this.#arrived === this.#count) this.#whenComplete()
      else this.#watch?.refresh()
    }
  }

  #double(index: number): void {
    this.#doubled++
    if (this.#doubles.length < SHOWN) this.#doubles.push(this.#first + index)
  }

  report(): SinkReport {
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    return {
      arrived: this.#arrived,
      doubled: this.#doubled,
      doubles: this.#doubles,
      strangers: this.#strangers,
      arrivedAt: this.#arrivedAt,
      octets: this.#octets / Math.max(1, this.#messages),
      cpu: (user + system) / 1000,
    }
  }
}
