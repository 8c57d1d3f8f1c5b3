import type { Pause, PauseScope } from '../store/store.ts'
import type { ClaimFilter } from './claim-filter.ts'
import { domainsByCompany, laneKey, roomsOf } from './lane-key.ts'

/** Mail, as far as pauses depend on it. */
export interface PausableMail {
  /** Null: mail of any company. */
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

/** The mail that the operator has paused. */
export class Pauses {
  #ofSites: readonly PauseScope[] = []
  #others: readonly PauseScope[] = []
  #text = '[]'

  /** False when nothing has changed. */
  replace(pauses: readonly PauseScope[]): boolean {
    const text = JSON.stringify(pauses.map(({ companyId, domain, site }) => [companyId, domain, site?.key]))
    if (text === this.#text) return false
    this.#text = text
    this.#ofSites = pauses.filter(({ site }) => site !== undefined)
    this.#others = pauses.filter(({ site }) => site === undefined)
    return true
  }

  /** True in the usual case: no further check is needed. */
  get none(): boolean {
    return this.#others.length === 0 && this.#ofSites.length === 0
  }

  /** True when everything is paused. */
  get all(): boolean {
    return this.#others.some(({ companyId, domain }) => companyId === null && domain === null)
  }

  covers(companyId: string, domain: string): boolean {
    if (this.#others.length === 0) return false
    const mail = { companyId, domain }
    return this.#others.some((scope) => coversMail(scope, mail))
  }

  /** Only the path tells whether a pause of a site concerns the mail: `site` is the key of its site. */
  coversSite(companyId: string, site: string): boolean {
    if (this.#ofSites.length === 0) return false
    const mail = { companyId, domain: '', site }
    return this.#ofSites.some((scope) => coversMail(scope, mail))
  }

  /** The paused sites, with their companies. */
  get sites(): string[] {
    return this.#ofSites.map(({ companyId, site }) => `${companyId ?? ''}\0${site!.key}`)
  }

  /** The mail that a claim leaves out. */
  get skipped(): ClaimFilter {
    const skipCompanies: string[] = []
    const skipDomains: string[] = []
    const lanes: string[] = []
    for (const { companyId, domain } of this.#others) {
      if (companyId !== null && domain !== null) lanes.push(laneKey(companyId, domain))
      else if (companyId !== null) skipCompanies.push(companyId)
      else if (domain !== null) skipDomains.push(domain)
    }
    return { rooms: roomsOf(domainsByCompany(lanes), 0), skipCompanies, skipDomains }
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

/** The pause for whose end the mail waits: of several the one that ends last. Null: none covers it. */
export function pauseOfMail(pauses: readonly Pause[], mail: PausableMail): Pause | null {
  const covering = pauses.filter((pause) => coversMail(pause, mail))
  return covering.toSorted((a, b) => endOfPause(b) - endOfPause(a))[0] ?? null
}

function endOfPause({ until }: Pause): number {
  return until ?? Number.POSITIVE_INFINITY
}
