/** How much memory large request bodies may take together, so that no sender can use up what all of them need. */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../intake/refusal.ts'

/** Octets up to which a body is not counted: there is never enough of those to matter. */
const SMALL = 256 * 1024
/** Octets of all bodies together, unless one body may be so large that four of them are more. */
const TOTAL = 512 * 1024 * 1024
/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 2

interface Held {
  companyId: string
  octets: number
}

/** Counts octets from their arrival until the request is answered. One company may hold half of what there is. */
export class BodyBudget {
  readonly #max: number
  readonly #held = new Map<IncomingMessage, Held>()
  readonly #byCompany = new Map<string, number>()
  #total = 0

  /** `bodyMax`: octets of the largest single body, which always has room when nothing else is held. */
  constructor(bodyMax: number, total: number = TOTAL) {
    this.#max = Math.max(total, 4 * bodyMax)
  }

  /** Notes that `octets` of the request's body have arrived. Throws a Refusal when there is no room for them. */
  hold(request: IncomingMessage, companyId: string, octets: number): void {
    if (octets <= SMALL) return
    const more = octets - (this.#held.get(request)?.octets ?? 0)
    const company = (this.#byCompany.get(companyId) ?? 0) + more
    if (this.#total + more > this.#max || company > this.#max / 2) {
      throw new Refusal({
        code: 'unavailable',
        retryAfter: RETRY_AFTER,
        detail: 'large requests under way take all the memory there is for them',
      })
    }
    this.#held.set(request, { companyId, octets })
    this.#byCompany.set(companyId, company)
    this.#total += more
  }

  /** To be called once the request is answered, whatever the answer. */
  release(request: IncomingMessage): void {
    const held = this.#held.get(request)
    if (!held) return
    this.#held.delete(request)
    this.#total -= held.octets
    const company = this.#byCompany.get(held.companyId)! - held.octets
    if (company === 0) this.#byCompany.delete(held.companyId)
    else this.#byCompany.set(held.companyId, company)
  }
}
