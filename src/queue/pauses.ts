import type { Pause } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'

/** What the operator has told to stay where it is, as it stands now. */
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

  /** The usual case, in which nobody need ask further. */
  get none(): boolean {
    return this.#none
  }

  /** Everything is paused. */
  get all(): boolean {
    return this.#all
  }

  covers(companyId: string, domain: string): boolean {
    if (this.#none) return false
    if (this.#all || this.#companies.has(companyId) || this.#domains.has(domain)) return true
    return this.#lanes.has(`${companyId}\0${domain}`)
  }

  /** What a claim is to leave out. */
  get skipped(): ClaimFilter {
    return { skip: [...this.#lanes], skipCompanies: [...this.#companies], skipDomains: [...this.#domains] }
  }
}
