/**
 * The reasons to end an attempt early: its time, its lease, the stop of the node, or other mail that needs the session.
 */
import { notAttempted } from '../../email/not-attempted.ts'
import { releasedOutcome } from '../outcome.ts'
import type { RecipientAnswers } from './recipient-answers.ts'
import type { RouteRequest } from './route.ts'

export class AttemptEnd {
  readonly #request: RouteRequest
  readonly #answers: RecipientAnswers
  readonly #deadline: number
  #isCut = false

  /** `time`: milliseconds from now after which no further server is tried. */
  constructor(request: RouteRequest, answers: RecipientAnswers, time: number) {
    this.#request = request
    this.#answers = answers
    this.#deadline = performance.now() + time
  }

  /** The attempt was cut short, because other mail needs the session: no further server is asked. */
  get isCut(): boolean {
    return this.#isCut
  }

  cut(): void {
    this.#isCut = true
  }

  /** Milliseconds. */
  get timeLeft(): number {
    return this.#deadline - performance.now()
  }

  /** Returns false, and releases the remaining recipients, when nothing may be handed over any more. */
  mayGoOn(): boolean {
    const { mayHandOver, stopping } = this.#request
    if (mayHandOver() && !stopping.aborted) return true
    const why = stopping.aborted
      ? notAttempted('the service is stopping')
      : notAttempted('the lease had expired')
    this.#answers.settle(this.#answers.left.map(({ position }) => releasedOutcome(position, why)))
    return false
  }
}
