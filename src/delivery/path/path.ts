/**
 * A path: from which source, to which site, by which policy. A ready delivery waits for a session of its path; limits
 * and troubles belong to a path.
 */
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Email } from '../../email/fields.ts'
import type { MtaStsPolicy } from '../../store/store.ts'
import type { ReplyRule, SiteLimits } from '../sites/site-block.ts'
import type { MailHosts } from './mail-hosts.ts'
import { type Source, sourceId } from './source.ts'

/** The site that mail goes to: the servers that share one limit, however many recipient domains they serve. */
export interface Site {
  /** For people: `Google`, `relay.example.com`, `mx.example.com`, `mx1.example.com +2`, `capture`, `simulator`. */
  name: string
  /** Sites with equal keys share limits. */
  key: string
  /** The key of the servers of this recipient domain, where they are only some of the site's; absent: they are all. */
  serversKey?: string
  kind: DeliveryRoute['kind'] | 'simulator'
  /** The servers of a direct site; of another site, the reason why it cannot be used; otherwise null. */
  servers: MailServers | null
  /** The MTA-STS policy of the recipient's domain (RFC 8461). Absent: nothing. */
  mtaSts?: MtaStsPolicy
  /** The block of the sites files whose limits hold; null: none names the site. */
  provider: string | null
}

/** The DNS answer for a recipient's domain, and until when it is valid (monotonic ms). */
export interface MailServers {
  hosts: MailHosts
  until: number
}

/** The route as part of a path. */
export interface Policy {
  /** Id of the route: `default` is that of POSTROAD_DELIVERY. Never the same for another route. */
  id: string
  route: DeliveryRoute
  /** One delivery has to succeed before a second session is opened: many wrong logins at once could lock an account. */
  firstAlone: boolean
}

/** Limits of all nodes together, which the queue keeps to. */
export interface PathLimits extends Pick<SiteLimits, 'sessions' | 'messagesPerMinute' | 'messagesPerHour'> {
  /** Deliveries of one company that may wait for the path in memory. */
  waiting: number
  /** The first pause (ms) after a refusal that is not the mail's fault; absent: that of all sites. */
  backOff?: number
}

/** Limits of each session with the site. Plain values. */
export interface SessionTerms
  extends Pick<SiteLimits, 'messagesPerSession' | 'recipientsPerTransaction' | 'tls' | 'envelopeBehindDot'> {
  /** The most octets of a message; absent: as the servers say. */
  size?: number
  /** The site's own words. */
  replies: readonly ReplyRule[]
}

/** Immutable: a changed path is a new object. */
export interface Path {
  /** Paths with equal keys share sessions, limits and troubles. */
  key: string
  source: Source
  site: Site
  policy: Policy
  limits: PathLimits
  terms: SessionTerms
}

/** The part of a path that delivery needs. Plain values. */
export interface DeliveryPath {
  source: Source
  policy: Policy
  site: Pick<Site, 'kind' | 'servers' | 'mtaSts'>
  terms: SessionTerms
}

/** The fields of an email that decide its path. */
export type RoutingFields = Pick<Email, 'id' | 'companyId' | 'domainId' | 'testMode' | 'source'>

export const DEFAULT_ROUTE = 'default'

/** Deliveries with equal IDs have the same policy and source. */
export function sourcePolicyId({ policy, source }: Pick<DeliveryPath, 'policy' | 'source'>): string {
  return source.addresses === undefined ? policy.id : `${policy.id}\0${sourceId(source)}`
}

export function pathOf(parts: Omit<Path, 'key'>): Path {
  const { source, site, policy } = parts
  return { key: `${source.name}\0${site.key}\0${policy.id}`, ...parts }
}

/** The name of the source in the key of a path. */
export function sourceNameOf(pathKey: string): string {
  return pathKey.split('\0')[0] ?? ''
}

/** The key of the site in the key of a path. */
export function siteKeyOf(pathKey: string): string {
  return pathKey.split('\0')[1] ?? ''
}

export function siteOfKind(kind: 'capture' | 'simulator'): Site {
  return { name: kind, key: kind, kind, servers: null, provider: null }
}

/** For people: the servers that are only some of a site's, from their key. Null: it is the key of none. */
export function serversText(serversKey: string): string | null {
  if (serversKey.startsWith('mx:')) return serversKey.slice('mx:'.length).replaceAll('\n', ', ')
  // Of many servers the key is a hash.
  return /^[0-9a-f]{64}$/.test(serversKey) ? `servers ${serversKey.slice(0, 8)}` : null
}

/** The site that all mail of the route goes to. */
export function siteOfRoute(route: Exclude<DeliveryRoute, { kind: 'direct' }>): Site {
  if (route.kind === 'capture') return siteOfKind('capture')
  const { host, port } = route
  const key = `relay:${host.toLowerCase()}:${port}`
  return { name: host, key, kind: 'relay', servers: null, provider: null }
}
