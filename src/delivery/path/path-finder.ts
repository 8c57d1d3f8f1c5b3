import { LRUCache } from 'lru-cache'
import type { CustomRoute } from '../../accounts/account.ts'
import { openCredentials } from '../../accounts/routes.ts'
import type { Seal } from '../../accounts/seal.ts'
import { relayFrom } from '../../config/relay-url.ts'
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Resolver } from '../../dns/resolver.ts'
import { isSimulated } from '../../email/simulated.ts'
import {
  DEFAULT_ROUTE,
  type Path,
  type PathLimits,
  type Policy,
  pathOf,
  type RoutingFields,
  type Site,
} from './path.ts'
import { SiteDirectory } from './site-directory.ts'

export interface PathFinderOptions {
  /** POSTROAD_DELIVERY. */
  route: DeliveryRoute
  /** Looks up the mail servers of direct delivery. */
  resolver: Pick<Resolver, 'mx'>
  /** EHLO name. */
  hostname: string
  /** True: a domain whose MX is `hostname` is delivered to, and not taken for a loop. */
  allowPrivateNetworks: boolean
  /** Sessions to one site at once. */
  siteConcurrency: number
  /** Deliveries that may wait in memory, for all paths together. */
  maxDeliveries: number
  /** The route set for mail of this domain and company; null: POSTROAD_DELIVERY. */
  ownRoute(sender: Pick<RoutingFields, 'domainId' | 'companyId'>): CustomRoute | null
  /** Opens the credentials of routes. */
  seal: Pick<Seal, 'open'>
}

/** Remembered paths of routes; a forgotten one is opened anew when it is needed. */
const MAX_ROUTES = 10_000

/**
 * Deliveries of one company that may wait for one of the many sites of direct delivery. Where all mail goes one way, a
 * lane holds all mail of its company.
 */
const WAITING_DIRECT = 200

/** Finds the path that mail takes, as things stand now. */
export class PathFinder {
  readonly #options: PathFinderOptions
  readonly #policy: Policy
  readonly #simulator: Path
  /** Null when it depends on the recipient's domain. */
  readonly #onlyOne: Path | null
  readonly #direct: SiteDirectory<Path>
  /** By id of the route, which changes with every change of the route. */
  readonly #own = new LRUCache<string, Path>({ max: MAX_ROUTES })

  constructor(options: PathFinderOptions) {
    this.#options = options
    const { route, resolver, hostname, allowPrivateNetworks } = options
    this.#policy = policyOf(DEFAULT_ROUTE, route)
    this.#simulator = this.#path({ name: 'simulator', key: 'simulator', kind: 'simulator', servers: null })
    this.#onlyOne = route.kind === 'direct' ? null : this.#path(siteOfRoute(route))
    this.#direct = new SiteDirectory({
      resolver,
      ownName: allowPrivateNetworks ? null : hostname,
      keep: (site) => this.#path(site),
    })
  }

  /** Null when it has to be looked up. `domain`: a recipient's domain, as an A-label. */
  findCached(mail: RoutingFields, domain: string): Path | null {
    return this.#settled(mail, domain) ?? this.#direct.findCached(domain.toLowerCase(), mail.companyId)
  }

  /** Never rejects: when the mail servers of a domain cannot be found, the attempt reports it. */
  find(mail: RoutingFields, domain: string): Promise<Path> {
    const path = this.#settled(mail, domain)
    if (path !== null) return Promise.resolve(path)
    return this.#direct.find(domain.toLowerCase(), mail.companyId)
  }

  /** The path that needs no look-up. */
  #settled(mail: RoutingFields, domain: string): Path | null {
    if (isSimulated(domain, mail.testMode)) return this.#simulator
    if (this.#policy.route.kind === 'capture') return this.#onlyOne
    const own = this.#options.ownRoute(mail)
    return own === null ? this.#onlyOne : this.#ownPath(own)
  }

  #ownPath(own: CustomRoute): Path {
    let path = this.#own.get(own.id)
    if (path === undefined) {
      path = this.#opened(own)
      this.#own.set(own.id, path)
    }
    return path
  }

  #opened(own: CustomRoute): Path {
    try {
      const relay = relayFrom(own.url, openCredentials(this.#options.seal, own))
      return this.#path(siteOfRoute(relay), policyOf(own.id, relay))
    } catch (error) {
      // The mail must neither take another way nor be lost: each attempt reports the error until the route is set
      // again.
      const message = `The route cannot be used. ${error instanceof Error ? error.message : String(error)}`
      const failure = { finding: 'server', enhancedCode: '4.3.5', message } as const
      const servers = { hosts: { kind: 'none', failure } as const, until: Number.POSITIVE_INFINITY }
      const site: Site = { name: own.url, key: `route:${own.id}`, kind: 'relay', servers }
      return this.#path(site, policyOf(own.id, this.#policy.route))
    }
  }

  #path(site: Site, policy: Policy = this.#policy): Path {
    const { hostname, siteConcurrency, maxDeliveries } = this.#options
    const limits: PathLimits = {
      sessions: siteConcurrency,
      waiting: site.kind === 'direct' ? WAITING_DIRECT : maxDeliveries,
    }
    return pathOf({ source: { name: 'default', helo: hostname }, site, policy, limits })
  }
}

function policyOf(id: string, route: DeliveryRoute): Policy {
  return { id, route, firstAlone: route.kind === 'relay' && route.user !== null }
}

function siteOfRoute(route: Exclude<DeliveryRoute, { kind: 'direct' }>): Site {
  if (route.kind === 'capture') return { name: 'capture', key: 'capture', kind: 'capture', servers: null }
  const { host, port } = route
  return { name: host, key: `relay:${host.toLowerCase()}:${port}`, kind: 'relay', servers: null }
}
