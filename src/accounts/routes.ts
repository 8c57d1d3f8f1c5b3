/** Routes of a company's or a domain's own: relays that take their mail instead of POSTROAD_DELIVERY. */
import type { Route } from './account.ts'
import type { Seal } from './seal.ts'

/** What a relay is logged in to with. */
export interface RouteCredentials {
  user: string
  /** Or an OAuth 2.0 access token. */
  password: string
}

export function sealCredentials(seal: Seal, routeId: string, credentials: RouteCredentials): Uint8Array {
  return seal.seal(Buffer.from(JSON.stringify(credentials)), contextOf(routeId))
}

/** Null: the relay asks for none. Throws SealBroken. */
export function openCredentials(seal: Seal, { id, sealed }: Route): RouteCredentials | null {
  if (sealed === null) return null
  return JSON.parse(seal.open(sealed, contextOf(id)).toString()) as RouteCredentials
}

function contextOf(routeId: string): string {
  return `route:${routeId}`
}

/** Which route mail has: that of its sending domain, else that of its company. */
export class RouteTable {
  readonly #byDomain = new Map<string, Route>()
  readonly #byCompany = new Map<string, Route>()
  /** The usual case, in which nobody need look. */
  readonly #none: boolean

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (route.domainId === null) this.#byCompany.set(route.companyId, route)
      else this.#byDomain.set(route.domainId, route)
    }
    this.#none = routes.length === 0
  }

  /** Null: it goes as all mail does. */
  for({ domainId, companyId }: { domainId: string; companyId: string }): Route | null {
    if (this.#none) return null
    return this.#byDomain.get(domainId) ?? this.#byCompany.get(companyId) ?? null
  }
}
