import type { CustomRoute } from '../../accounts/account.ts'
import { openCredentials } from '../../accounts/routes.ts'
import type { Seal } from '../../accounts/seal.ts'
import { RecentEntries } from '../../common/recent-entries.ts'
import { relayFrom } from '../../config/relay-url.ts'
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Resolver } from '../../dns/resolver.ts'
import { isSimulated } from '../../email/simulated.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import type { SiteAgreement } from '../sites/site-table.ts'
import type { SitesFile } from '../sites/sites-file.ts'
import {
  DEFAULT_ROUTE,
  type Path,
  type Policy,
  pathOf,
  type RoutingFields,
  type SessionTerms,
  type Site,
  siteOfKind,
  siteOfRoute,
} from './path.ts'
import { SiteDirectory } from './site-directory.ts'
import { type Source, sourceId } from './source.ts'
import type { SourceChoice } from './source-choice.ts'

/** Whether mail can take the path now. */
export type IsUsable = (path: Path) => boolean

export interface PathFinderOptions {
  /** The most domains, and routes, that are remembered; absent: as many as delivery needs. */
  mostRemembered?: number
  /** POSTROAD_DELIVERY. */
  route: DeliveryRoute
  /** Looks up the mail servers of direct delivery. */
  resolver: Pick<Resolver, 'mx'>
  /** The MTA-STS policy of a recipient domain. */
  mtaSts?(domain: string): Promise<MtaStsPolicy | null>
  /** EHLO name. */
  hostname: string
  /** The sources of direct mail. */
  sources: SourceChoice
  /** True: a domain whose MX is `hostname` is delivered to, and not taken for a loop. */
  allowPrivateNetworks: boolean
  /** The limits of sites, as they are now. */
  sites: Pick<SitesFile, 'table' | 'listen'>
  /** Sessions to a relay at once. */
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
 * Deliveries of one company that may wait for one of the many sites of direct delivery. With a single relay there is
 * one lane for each company, which may hold all its mail.
 */
const WAITING_DIRECT = 200
/** Deliveries of one company that may wait for the slowest site. */
export const LEAST_WAITING = 5

/** The terms of a relay. The operator sets the number of sessions; many relays end a session after 1,000 messages. */
const ONE_WAY: SessionTerms = {
  messagesPerSession: 1_000,
  recipientsPerTransaction: 100,
  tls: 'opportunistic',
  envelopeBehindDot: true,
  replies: [],
}

/** Finds the path that mail takes, as things stand now. */
export class PathFinder {
  readonly #options: PathFinderOptions
  readonly #policy: Policy
  readonly #simulator: Path
  /** The path of all mail; null when it depends on the recipient's domain. */
  readonly #onlyOne: Path | null
  readonly #direct: SiteDirectory<SitePaths>
  readonly #sources: SourceChoice
  /** By id of the route, which changes with every change of the route. */
  readonly #own: RecentEntries<Path>

  constructor(options: PathFinderOptions) {
    this.#options = options
    const { route, resolver, hostname, allowPrivateNetworks, sites } = options
    const { mostRemembered } = options
    this.#own = new RecentEntries(mostRemembered ?? MAX_ROUTES)
    this.#sources = options.sources
    this.#policy = policyOf(DEFAULT_ROUTE, route)
    this.#simulator = this.#path(siteOfKind('simulator'))
    this.#onlyOne = route.kind === 'direct' ? null : this.#path(siteOfRoute(route))
    this.#direct = new SiteDirectory({
      resolver,
      ownName: allowPrivateNetworks ? null : hostname,
      ...(options.mtaSts && { mtaSts: options.mtaSts }),
      ...(mostRemembered !== undefined && { mostDomains: mostRemembered }),
      recognise: (domain, ranks) => sites.table.recognise(domain, ranks),
      keep: (site, agreement) => new SitePaths((source) => this.#directPath(source, site, agreement)),
    })
    sites.listen(() => this.#direct.recogniseAnew())
  }

  /**
   * The path, or null when it has to be looked up. `domain`: a recipient's domain, as an A-label. Chooses the first of
   * several sources whose path is usable.
   */
  findCached(mail: RoutingFields, domain: string, isUsable: IsUsable = () => true): Path | null {
    const settled = this.#settled(mail, domain)
    if (settled !== null) return settled
    const paths = this.#direct.findCached(domain.toLowerCase(), mail.companyId)
    return paths === null ? null : this.#chosen(paths, mail, isUsable)
  }

  /** The same, but asks DNS for nothing. */
  findKnown(mail: RoutingFields, domain: string, isUsable: IsUsable): Path | null {
    const settled = this.#settled(mail, domain)
    if (settled !== null) return settled
    const paths = this.#direct.findKnown(domain.toLowerCase())
    return paths === null ? null : this.#chosen(paths, mail, isUsable)
  }

  /** The paths from every source of this node, whichever the sender may choose; null: they have to be looked up. */
  everyKnown(mail: RoutingFields, domain: string): Path[] | null {
    const settled = this.#settled(mail, domain)
    if (settled !== null) return [settled]
    const paths = this.#direct.findKnown(domain.toLowerCase())
    return paths && this.#sources.all().map((source) => paths.from(source))
  }

  /** Never rejects: when the mail servers of a domain cannot be found, the attempt reports it. */
  async find(mail: RoutingFields, domain: string, isUsable: IsUsable = () => true): Promise<Path> {
    const settled = this.#settled(mail, domain)
    if (settled !== null) return settled
    return this.#chosen(await this.#direct.find(domain.toLowerCase(), mail.companyId), mail, isUsable)
  }

  #chosen(paths: SitePaths, mail: RoutingFields, isUsable: IsUsable): Path {
    const sources = this.#sources.of(mail)
    const first = paths.from(sources[0]!)
    if (sources.length === 1) return first
    for (const source of sources) {
      const path = paths.from(source)
      if (isUsable(path)) return path
    }
    return first
  }

  /** Known recipient domains whose mail takes this path; none for the path of a relay. */
  domainsOf({ site }: Path): Iterable<string> {
    return site.kind === 'direct' ? this.#direct.domainsOf(site.key) : []
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
      const site: Site = { name: own.url, key: `route:${own.id}`, kind: 'relay', servers, provider: null }
      return this.#path(site, policyOf(own.id, this.#policy.route))
    }
  }

  #path(site: Site, policy: Policy = this.#policy): Path {
    const { siteConcurrency, maxDeliveries } = this.#options
    return pathOf({
      source: this.#sources.general,
      site,
      policy,
      limits: {
        sessions: siteConcurrency,
        messagesPerMinute: null,
        messagesPerHour: null,
        waiting: maxDeliveries,
      },
      terms: ONE_WAY,
    })
  }

  #directPath(source: Source, site: Site, { limits, replies }: SiteAgreement): Path {
    const { sessions, messagesPerMinute, messagesPerHour, size, backOff, ...others } = limits
    const pace = { sessions, messagesPerMinute, messagesPerHour, waiting: waitingFor(limits) }
    return pathOf({
      source,
      site,
      policy: this.#policy,
      limits: { ...pace, ...(backOff !== null && { backOff }) },
      terms: { ...others, ...(size !== null && { size }), replies },
    })
  }
}

/**
 * The paths to one site, one from each source, made when they are needed. Sources are known by their IDs, because the
 * part of a source that this node has is made anew for each question.
 */
class SitePaths {
  readonly #make: (source: Source) => Path
  readonly #paths = new Map<string, Path>()

  constructor(make: (source: Source) => Path) {
    this.#make = make
  }

  from(source: Source): Path {
    const id = `${sourceId(source)}\0${source.missing ?? ''}`
    let path = this.#paths.get(id)
    if (path === undefined) {
      path = this.#make(source)
      this.#paths.set(id, path)
    }
    return path
  }
}

/** Mail for a slow site waits in the store rather than here: no more is held than leaves within about a minute. */
function waitingFor({ messagesPerMinute, messagesPerHour }: SiteAgreement['limits']): number {
  const aMinute = Math.min(messagesPerMinute ?? WAITING_DIRECT, Math.ceil((messagesPerHour ?? Infinity) / 60))
  return Math.max(LEAST_WAITING, Math.min(WAITING_DIRECT, aMinute))
}

function policyOf(id: string, route: DeliveryRoute): Policy {
  return { id, route, firstAlone: route.kind === 'relay' && route.user !== null }
}
