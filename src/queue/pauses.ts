import type { Pause, PauseScope } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'
import { domainsByCompany, laneKey, roomsOf } from './lane-key.ts'

/** The mail that the operator has paused. */
export class Pauses {
  #all = false
  #none = true
  readonly #companies = new Set<string>()
  readonly #domains = new Set<string>()
  /** By `laneKey`. */
  readonly #lanes = new Set<string>()
  /** `companyId\0key of the site`, and the key alone for all companies. */
  readonly #sites = new Set<string>()
  #text = '[]'

  /** False when nothing has changed. */
  replace(pauses: readonly PauseScope[]): boolean {
    const text = JSON.stringify(pauses.map(({ companyId, domain, site }) => [companyId, domain, site?.key]))
    if (text === this.#text) return false
    this.#text = text
    this.#all = false
    for (const set of [this.#companies, this.#domains, this.#lanes, this.#sites]) set.clear()
    for (const { companyId, domain, site } of pauses) {
      if (site !== undefined) this.#sites.add(companyId === null ? site.key : `${companyId}\0${site.key}`)
      else if (companyId === null && domain === null) this.#all = true
      else if (domain === null) this.#companies.add(companyId!)
      else if (companyId === null) this.#domains.add(domain)
      else this.#lanes.add(laneKey(companyId, domain))
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
    return this.#lanes.has(laneKey(companyId, domain))
  }

  /** Only the path tells whether a pause of a site concerns the mail: `key` is that of its site. */
  coversSite(companyId: string, key: string): boolean {
    return this.#sites.size > 0 && (this.#sites.has(key) || this.#sites.has(`${companyId}\0${key}`))
  }

  /** The paused sites, with their companies. */
  get sites(): string[] {
    return [...this.#sites]
  }

  /** The mail that a claim leaves out. */
  get skipped(): ClaimFilter {
    const rooms = roomsOf(domainsByCompany(this.#lanes), 0)
    return { rooms, skipCompanies: [...this.#companies], skipDomains: [...this.#domains] }
  }
}

/** The pause of exactly this scope. */
export function pauseOf(
  pauses: readonly Pause[],
  { companyId, domain, site }: PauseScope,
): Pause | undefined {
  return pauses.find(
    (pause) => pause.companyId === companyId && pause.domain === domain && pause.site?.key === site?.key,
  )
}
