import type { DeliveryRoute } from '../../config/settings.ts'
import type { Resolver } from '../../dns/resolver.ts'
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
import { SiteDirectory } from './site-directory.ts'

export interface PathFinderOptions {
  /** POSTROAD_DELIVERY. */
  route: DeliveryRoute
  /** Asked for the mail servers of direct delivery. */
  resolver: Pick<Resolver, 'mx'>
  /** EHLO name. */
  hostname: string
  /** Whether a domain whose MX is `hostname` is one to deliver to, and no loop. */
  allowPrivateNetworks: boolean
  /** Sessions at once to one site. */
  siteConcurrency: number
  /** Deliveries that may wait in memory, of all paths. */
  maxDeliveries: number
}

/** Deliveries of one company that may wait for one of the many sites of direct delivery. Where all mail goes one way, its lane is the company. */
const WAITING_DIRECT = 200

/** Which path mail takes, as things stand now. */
export class PathFinder {
  readonly #options: PathFinderOptions
  readonly #policy: Policy
  readonly #simulator: Path
  /** Null when it depends on the recipient's domain. */
  readonly #onlyOne: Path | null
  readonly #direct: SiteDirectory<Path>

  constructor(options: PathFinderOptions) {
    this.#options = options
    const { route, resolver, hostname, allowPrivateNetworks } = options
    this.#policy = { id: DEFAULT_ROUTE, route, firstAlone: route.kind === 'relay' && route.user !== null }
    this.#simulator = this.#path({ name: 'simulator', key: 'simulator', kind: 'simulator', servers: null })
    this.#onlyOne = route.kind === 'direct' ? null : this.#path(siteOfRoute(route))
    this.#direct = new SiteDirectory({
      resolver,
      ownName: allowPrivateNetworks ? null : hostname,
      keep: (site) => this.#path(site),
    })
  }

  /** Null when it has to be looked up. `domain`: of a recipient, as an A-label. */
  known(mail: Routed, domain: string): Path | null {
    return this.#settled(mail, domain) ?? this.#direct.known(domain.toLowerCase(), mail.companyId)
  }

  /** Never rejects: that the mail servers of a domain cannot be found is for the attempt to tell. */
  find(mail: Routed, domain: string): Promise<Path> {
    const path = this.#settled(mail, domain)
    if (path !== null) return Promise.resolve(path)
    return this.#direct.find(domain.toLowerCase(), mail.companyId)
  }

  /** What takes no look-up. */
  #settled({ testMode }: Routed, domain: string): Path | null {
    return isSimulated(domain, testMode) ? this.#simulator : this.#onlyOne
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
  if (route.kind === 'capture') return { name: 'capture', key: 'capture', kind: 'capture', servers: null }
  const { host, port } = route
  return { name: host, key: `relay:${host.toLowerCase()}:${port}`, kind: 'relay', servers: null }
}
