import type { Pause } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'

/** The mail that the operator has paused. */
export class Pauses {
  #all = false
  #none = true
  readonly #companies = new Set<string>()
  readonly #domains = new Set<string>()
  /** `companyId\0domain`. */
  readonly #lanes = new Set<string>()
  #text = '[]'

  /** False when nothing has changed. */
  replace(pauses: readonly Pause[]): boolean {
    const text = JSON.stringify(pauses.map(({ companyId, domain }) => [companyId, domain]))
    if (text === this.#text) return false
    this.#text = text
    this.#all = false
    for (const set of [this.#companies, this.#domains, this.#lanes]) set.clear()
    for (const { companyId, domain } of pauses) {
      if (companyId === null && domain === null) this.#all = true
      else if (domain === null) this.#companies.add(companyId!)
      else if (companyId === null) this.#domains.add(domain)
      else this.#lanes.add(`${companyId}\0${domain}`)
    }
    this.#none = pauses.length === 0
    return true
  }

  /** True in the usual case: no further check is needed. */
  get none(): boolean {
    return this.#none
  }

  /** True when everything is paused. */
  get all(): boolean {
    return this.#all
  }

  covers(companyId: string, domain: string): boolean {
    if (this.#none) return false
    if (this.#all || this.#companies.has(companyId) || this.#domains.has(domain)) return true
    return this.#lanes.has(`${companyId}\0${domain}`)
  }

  /** The mail that a claim leaves out. */
  get skipped(): ClaimFilter {
    return { skip: [...this.#lanes], skipCompanies: [...this.#companies], skipDomains: [...this.#domains] }
  }
}
