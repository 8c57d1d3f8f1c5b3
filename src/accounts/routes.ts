/** The routes of companies and domains: relays that take their mail instead of POSTROAD_DELIVERY. */
import type { CustomRoute } from './account.ts'
import type { Seal } from './seal.ts'

/** The credentials for a relay. */
export interface RouteCredentials {
  user: string
  /** A password, or an OAuth 2.0 access token. */
  password: string
}

export function sealCredentials(seal: Seal, routeId: string, credentials: RouteCredentials): Uint8Array {
  return seal.seal(Buffer.from(JSON.stringify(credentials)), contextOf(routeId))
}

/** Null: the relay needs none. Throws SealError. */
export function openCredentials(
  seal: Pick<Seal, 'open'>,
  { id, sealed }: CustomRoute,
): RouteCredentials | null {
  if (sealed === null) return null
  return JSON.parse(seal.open(sealed, contextOf(id)).toString()) as RouteCredentials
}

function contextOf(routeId: string): string {
  return `route:${routeId}`
}

/** Finds the route of mail: that of its sending domain, otherwise that of its company. */
export class RouteTable {
  readonly all: CustomRoute[]
  readonly #byDomain = new Map<string, CustomRoute>()
  readonly #byCompany = new Map<string, CustomRoute>()

  constructor(routes: CustomRoute[]) {
    this.all = routes
    for (const route of routes) {
      if (route.domainId === null) this.#byCompany.set(route.companyId, route)
      else this.#byDomain.set(route.domainId, route)
    }
  }

  /** Null: the default route. */
  for({ domainId, companyId }: { domainId: string; companyId: string }): CustomRoute | null {
    // The usual case needs no look-up.
    if (this.all.length === 0) return null
    return this.#byDomain.get(domainId) ?? this.#byCompany.get(companyId) ?? null
  }
}
