import type { DeliveryRoute } from '../../config/settings.ts'
import { isSimulated } from '../../email/simulated.ts'
import {
  DEFAULT_ROUTE,
  type Path,
  type PathLimits,
  type Policy,
  pathOf,
  type Routed,
  type Site,
} from './path.ts'

export interface PathFinderOptions {
  /** POSTROAD_DELIVERY. */
  route: DeliveryRoute
  /** EHLO name. */
  hostname: string
  /** Sessions at once to one site. */
  siteConcurrency: number
  /** Deliveries that may wait in memory, of all paths. */
  maxDeliveries: number
}

/** Deliveries of one company that may wait for one of the many sites of direct delivery. Where all mail goes one way, its lane is the company. */
const WAITING_DIRECT = 200

/** Which path mail takes. */
export class PathFinder {
  readonly #options: PathFinderOptions
  readonly #policy: Policy
  readonly #simulator: Path
  /** Null when it depends on the recipient's domain. */
  readonly #onlyOne: Path | null

  constructor(options: PathFinderOptions) {
    this.#options = options
    const { route } = options
    this.#policy = { id: DEFAULT_ROUTE, route, firstAlone: route.kind === 'relay' && route.user !== null }
    this.#simulator = this.#path({ name: 'simulator', key: 'simulator', kind: 'simulator' })
    this.#onlyOne = route.kind === 'direct' ? null : this.#path(siteOfRoute(route))
  }

  /** `domain`: of a recipient, as an A-label. */
  of({ testMode }: Routed, domain: string): Path {
    if (isSimulated(domain, testMode)) return this.#simulator
    if (this.#onlyOne !== null) return this.#onlyOne
    const name = domain.toLowerCase()
    return this.#path({ name, key: name, kind: 'direct' })
  }

  #path(site: Site): Path {
    const { hostname, siteConcurrency, maxDeliveries } = this.#options
    const limits: PathLimits = {
      sessions: siteConcurrency,
      waiting: site.kind === 'direct' ? WAITING_DIRECT : maxDeliveries,
    }
    return pathOf({ source: { name: 'default', helo: hostname }, site, policy: this.#policy, limits })
  }
}

function siteOfRoute(route: Exclude<DeliveryRoute, { kind: 'direct' }>): Site {
  if (route.kind === 'capture') return { name: 'capture', key: 'capture', kind: 'capture' }
  const { host, port } = route
  return { name: host, key: `relay:${host.toLowerCase()}:${port}`, kind: 'relay' }
}
