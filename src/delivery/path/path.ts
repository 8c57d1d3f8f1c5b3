/**
 * A path: from which source, to which site, by which policy. What is ready waits for a session of its path, and a path
 * has limits and troubles of its own.
 */
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Email } from '../../email/fields.ts'
import type { MailHosts } from './mail-hosts.ts'

/** Where mail leaves from. */
export interface Source {
  name: string
  /** EHLO name. */
  helo: string
}

/** Where mail goes: the servers that share one limit, however many recipient domains they serve. */
export interface Site {
  /** For people: `relay.example.com`, `mx.example.com`, `mx1.example.com +2`, `capture`, `simulator`. */
  name: string
  /** Equal keys are the same servers. */
  key: string
  kind: DeliveryRoute['kind'] | 'simulator'
  /** Of a direct site; of another, why it cannot be used. */
  servers: MailServers | null
}

/** What DNS said of a recipient's domain, and until when it is to be believed (monotonic ms). */
export interface MailServers {
  hosts: MailHosts
  until: number
}

/** How it gets there. */
export interface Policy {
  /** Of the route: `default` is that of POSTROAD_DELIVERY. Never the same for another one. */
  id: string
  route: DeliveryRoute
  /**
   * One delivery has to go well before more than one session is opened: so many wrong logins at once could lock an
   * account.
   */
  firstAlone: boolean
}

export interface PathLimits {
  /** Sessions at once, of all nodes together. */
  sessions: number
  /** Deliveries of one company that may wait for it in memory. */
  waiting: number
}

/** Immutable; one that has changed is another. */
export interface Path {
  /** Equal keys share sessions, limits and troubles. */
  key: string
  source: Source
  site: Site
  policy: Policy
  limits: PathLimits
}

/** What who delivers needs to know of a path. Plain values. */
export interface Way {
  source: Source
  policy: Policy
  site: Pick<Site, 'kind' | 'servers'>
}

/** What of an email says which path it takes. */
export type Routed = Pick<Email, 'companyId' | 'domainId' | 'testMode'>

export const DEFAULT_ROUTE = 'default'

export function pathOf(parts: Omit<Path, 'key'>): Path {
  const { source, site, policy } = parts
  return { key: `${source.name}\0${site.key}\0${policy.id}`, ...parts }
}
