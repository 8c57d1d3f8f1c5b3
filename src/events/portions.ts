/**
 * Senders decide how large an email is: of one to a thousand recipients, with their names, each event tells a megabyte.
 * What is read and answered at a time is counted in octets, beside how many there are.
 */
import type { EmailSummary } from '../email/stored-email.ts'
import type { ToldEmail, ToldEvent } from '../email/told-event.ts'

/** Octets that are read at a time, about; it is not known before how many there will be. */
const AT_A_TIME = 512 * 1024
/** Read first, while it is not known how large they are, and at most: those that follow may be larger. */
const FIRST = 10
const MOST = 25

const known = new WeakMap<object, number>()

/** What is told or listed of an email, in octets, about. */
export function octetsOf(email: ToldEmail | EmailSummary): number {
  let octets = known.get(email)
  if (octets === undefined) {
    octets = 500 + email.subject.length + email.from.length
    for (const value of Object.values(email)) {
      if (value !== null && typeof value === 'object') octets += JSON.stringify(value).length
    }
    known.set(email, octets)
  }
  return octets
}

export function octetsOfEvent({ email, recipientVariables }: ToldEvent): number {
  const own = recipientVariables === null ? 0 : JSON.stringify(recipientVariables).length
  return own + (email === null ? 500 : octetsOf(email))
}

/** How many to read next, by how large those before them were. */
export class Portions {
  #count = 0
  #octets = 0

  get next(): number {
    if (this.#count === 0) return FIRST
    const fitting = Math.floor((AT_A_TIME * this.#count) / this.#octets)
    return Math.max(1, Math.min(MOST, fitting))
  }

  read(octets: number): void {
    this.#count++
    this.#octets += octets
  }
}
