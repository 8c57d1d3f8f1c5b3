import type { Pause, PauseScope } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'
import { domainsByCompany, laneKey, roomsOf } from './lane-key.ts'

/** Mail, as far as pauses depend on it. */
interface PausableMail {
  /** Null: mail of any company. '' stands for mail of several: only pauses of all companies cover it. */
  companyId: string | null
  /** Recipient domain. '' stands for mail to several: only pauses of all domains cover it. */
  domain: string
  /** Key of its site, which only its path tells; absent: not known, and no pause of a site covers it. */
  site?: string | undefined
}

/** Whether a pause covers the mail, or some of it. */
export function coversMail(scope: PauseScope, { companyId, domain, site }: PausableMail): boolean {
  return (
    (scope.companyId === null || companyId === null || scope.companyId === companyId) &&
    (scope.domain === null || scope.domain === domain) &&
    (scope.site === undefined || scope.site.key === site)
  )
}

/**
 * The mail that the operator has paused. `covers` and `coversSite` are asked for each recipient, and there may be
 * thousands of pauses: they look up the few scopes that `coversMail` would find.
 */
export class Pauses {
  #ofSites: ReadonlySet<string> = new Set()
  #others: ReadonlyMap<string, PauseScope> = new Map()
  #text = '[]'

  /** False when nothing has changed. */
  replace(pauses: readonly PauseScope[]): boolean {
    const text = JSON.stringify(pauses.map(({ companyId, domain, site }) => [companyId, domain, site?.key]))
    if (text === this.#text) return false
    this.#text = text
    const ofSites = pauses.filter(({ site }) => site !== undefined)
    const others = pauses.filter(({ site }) => site === undefined)
    this.#ofSites = new Set(ofSites.map(({ companyId, site }) => keyOf(companyId, site!.key)))
    this.#others = new Map(others.map((scope) => [keyOf(scope.companyId, scope.domain), scope]))
    return true
  }

  /** True in the usual case: no further check is needed. */
  get none(): boolean {
    return this.#others.size === 0 && this.#ofSites.size === 0
  }

  /** True when everything is paused. */
  get all(): boolean {
    return this.#others.has(keyOf(null, null))
  }

  covers(companyId: string, domain: string): boolean {
    const scopes = this.#others
    if (scopes.size === 0) return false
    return (
      scopes.has(keyOf(null, null)) ||
      scopes.has(keyOf(companyId, null)) ||
      scopes.has(keyOf(null, domain)) ||
      scopes.has(keyOf(companyId, domain))
    )
  }

  /** Only the path tells whether a pause of a site concerns the mail: `site` is the key of its site. */
  coversSite(companyId: string, site: string): boolean {
    if (this.#ofSites.size === 0) return false
    return this.#ofSites.has(keyOf(null, site)) || this.#ofSites.has(keyOf(companyId, site))
  }

  /** The paused sites, with their companies. */
  get sites(): string[] {
    return [...this.#ofSites]
  }

  /** The mail that a claim leaves out. */
  get skipped(): ClaimFilter {
    const skipCompanies: string[] = []
    const skipDomains: string[] = []
    const lanes: string[] = []
    for (const { companyId, domain } of this.#others.values()) {
      if (companyId !== null && domain !== null) lanes.push(laneKey(companyId, domain))
      else if (companyId !== null) skipCompanies.push(companyId)
      else if (domain !== null) skipDomains.push(domain)
    }
    return { rooms: roomsOf(domainsByCompany(lanes), 0), skipCompanies, skipDomains }
  }
}

/** Null: all companies, and all domains. */
function keyOf(companyId: string | null, domainOrSite: string | null): string {
  return laneKey(companyId ?? '', domainOrSite ?? '')
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

/** The pause for whose end the mail waits: of several the one that ends last. Null: none covers it. */
export function pauseOfMail(pauses: readonly Pause[], mail: PausableMail): Pause | null {
  const covering = pauses.filter((pause) => coversMail(pause, mail))
  return covering.toSorted((a, b) => endOfPause(b) - endOfPause(a))[0] ?? null
}

function endOfPause({ until }: Pause): number {
  return until ?? Number.POSITIVE_INFINITY
}
