/** How mail would leave now: the path that delivery would find, and the servers at its end. */
import type { CustomRoute } from '../../accounts/account.ts'
import type { Seal } from '../../accounts/seal.ts'
import type { DeliveryRoute, RelayRoute } from '../../config/settings.ts'
import type { Resolver } from '../../dns/resolver.ts'
import type { Email } from '../../email/fields.ts'
import type { AddressGuard } from '../../network/private-address.ts'
import { CONSEQUENCES } from '../judge/finding.ts'
import type { PolicyAnswer } from '../mta-sts/policy-directory.ts'
import { decisiveFailure, type RouteFailure } from '../outcome.ts'
import type { NoHosts } from '../path/mail-hosts.ts'
import type { Path, RoutingFields } from '../path/path.ts'
import { type IsUsable, PathFinder } from '../path/path-finder.ts'
import type { Source } from '../path/source.ts'
import type { SourceChoice } from '../path/source-choice.ts'
import {
  allowedAddresses,
  Ipv6Reachability,
  reachableAddresses,
  type ServerAddresses,
} from '../route/addresses.ts'
import { relayAddresses } from '../route/relay.ts'
import { withSenderDemand } from '../route/sender-demand.ts'
import { hostPolicy, type PolicyQuestion } from '../route/tls-policy.ts'
import type { SiteTable } from '../sites/site-table.ts'
import type { TlsDemand } from '../smtp/target.ts'

export interface ForecastParts {
  /** POSTROAD_DELIVERY. */
  delivery: DeliveryRoute
  /** With a cache: the code of delivery looks up the servers, and the forecast looks up their preferences once more. */
  resolver: Pick<Resolver, 'mx' | 'addresses' | 'tlsa'>
  guard: AddressGuard
  hostname: string
  allowPrivateNetworks: boolean
  siteConcurrency: number
  /** Port of mail servers. */
  smtpPort: number
  sites: SiteTable
  sources: SourceChoice
  /** The MTA-STS policy of a domain. */
  mtaSts(domain: string): Promise<PolicyAnswer>
  /** The route of the sender; null: POSTROAD_DELIVERY. */
  ownRoute: CustomRoute | null
  /** Opens the credentials of `ownRoute`; not used without one. */
  seal: Pick<Seal, 'open'>
  /** Whether mail can take a path now: the first source is left out where its path is closed. */
  isUsable: IsUsable
}

export interface ForecastHost {
  name: string
  /** The preference in its MX record; null if it has none. */
  preference: number | null
  /** Sorted in the order in which delivery tries them. */
  addresses: string[]
  tls: TlsDemand
  /** The reason why the host cannot be used. */
  failure: RouteFailure | null
}

export interface Forecast {
  path: Path
  /** The MTA-STS policy of the domain; none where mail takes a relay. */
  mtaSts: PolicyAnswer
  /** In the order in which they are tried; hosts of equal preference are tried in any order. */
  hosts: ForecastHost[]
  /** The reason why there is no host. */
  failure: NoHosts | null
}

/** Why no server can be asked. */
interface ServerObstacle {
  failure: Pick<RouteFailure, 'message' | 'detail'>
  /** The mail bounces; otherwise it waits. */
  bounces: boolean
}

/** As delivery would record it (RFC 5321 5.1): a server that may be asked later outweighs those that never can. */
export function serverObstacle({
  failure,
  hosts,
}: Pick<Forecast, 'failure' | 'hosts'>): ServerObstacle | null {
  const failures = hosts.flatMap((host) => host.failure ?? [])
  const isReachable = hosts.some(({ addresses }) => addresses.length > 0)
  if (failure === null && (failures.length === 0 || isReachable)) return null
  const telling = failure ?? decisiveFailure(failures)
  return { failure: telling, bounces: CONSEQUENCES[telling.finding].ends }
}

/** Hosts whose addresses are looked up. A delivery tries no more than six. */
const MAX_HOSTS = 20
/** Each has some look-ups, and each look-up a socket. */
const HOSTS_AT_ONCE = 5

/** Never rejects for an answer of DNS. `domain`: the recipient's, as an A-label. */
export async function forecast(
  parts: ForecastParts,
  mail: RoutingFields & Pick<Email, 'tls' | 'tlsByMessage'>,
  domain: string,
): Promise<Forecast> {
  const { delivery, ownRoute, sites: table, isUsable, ...others } = parts
  const sites = { table, listen() {} }
  let mtaSts: PolicyAnswer = { policy: null, fault: null }
  const paths = new PathFinder({
    ...others,
    async mtaSts(name) {
      mtaSts = await parts.mtaSts(name)
      return mtaSts.policy
    },
    sites,
    route: delivery,
    maxDeliveries: 0,
    mostRemembered: 1,
    ownRoute: () => ownRoute,
  })
  const path = await paths.find(mail, domain, isUsable)
  const { servers, kind } = path.site
  if (servers?.hosts.kind === 'none') return { path, mtaSts, hosts: [], failure: servers.hosts.failure }
  const { route } = path.policy
  if (kind === 'relay' && route.kind === 'relay')
    return { path, mtaSts, hosts: [withDemand(await relayHost(route), mail)], failure: null }
  const found = servers?.hosts.kind === 'hosts' ? servers.hosts : null
  const names = found?.ranks.flat().slice(0, MAX_HOSTS) ?? []
  const preferences = await preferencesOf(domain, parts.resolver)
  const common = {
    domain,
    port: parts.smtpPort,
    secure: found?.secure === true,
    mtaSts: path.site.mtaSts ?? null,
    atLeast: path.terms.tls,
  }
  const host = (name: string) => {
    return directHost(parts, path.source, { ...common, host: name }, preferences.get(name) ?? null)
  }
  const hosts: ForecastHost[] = []
  for (let from = 0; from < names.length; from += HOSTS_AT_ONCE) {
    const some = await Promise.all(names.slice(from, from + HOSTS_AT_ONCE).map(host))
    hosts.push(...some.map((each) => withDemand(each, mail)))
  }
  return { path, mtaSts, hosts, failure: null }
}

function withDemand(host: ForecastHost, own: Pick<Email, 'tls' | 'tlsByMessage'>): ForecastHost {
  const { tls, source: tlsSource } = host.tls
  const demanded = withSenderDemand({ tls, tlsSource }, own)
  return { ...host, tls: { ...host.tls, tls: demanded.tls, source: demanded.tlsSource } }
}

async function preferencesOf(
  domain: string,
  resolver: Pick<Resolver, 'mx'>,
): Promise<ReadonlyMap<string, number>> {
  const found = domain.startsWith('[') ? null : await resolver.mx(domain)
  const records = found?.kind === 'found' ? found.records : []
  const worstFirst = records.toSorted((a, b) => b.preference - a.preference)
  return new Map(worstFirst.map(({ exchange, preference }) => [exchange, preference]))
}

async function directHost(
  { resolver, guard }: ForecastParts,
  source: Source,
  question: PolicyQuestion,
  preference: number | null,
): Promise<ForecastHost> {
  const { host: name, domain } = question
  const [found, policy] = await Promise.all([
    allowedAddresses(name, domain, resolver, guard, new Ipv6Reachability()),
    hostPolicy(question, resolver),
  ])
  if (policy.kind === 'none') {
    const { source, failure } = policy
    const tls: TlsDemand =
      source === null ? { tls: 'opportunistic', source: 'default' } : { tls: 'verified', source }
    return { name, preference, addresses: [], failure, tls }
  }
  return {
    name,
    preference,
    ...addressesOrFailure(reachableAddresses(found, name, source)),
    tls: policy.demand,
  }
}

async function relayHost({ host, tls, implicitTls }: RelayRoute): Promise<ForecastHost> {
  const found = await relayAddresses(host, new Ipv6Reachability())
  const demand = implicitTls && tls !== 'verified' ? 'required' : tls
  return { name: host, preference: null, ...addressesOrFailure(found), tls: { tls: demand, source: 'route' } }
}

function addressesOrFailure(found: ServerAddresses): Pick<ForecastHost, 'addresses' | 'failure'> {
  return found.kind === 'addresses'
    ? { addresses: found.addresses, failure: null }
    : { addresses: [], failure: found.failure }
}
