/** The closures of paths, as the nodes report them, that keep mail waiting. */

import { RouteTable } from '../accounts/routes.ts'
import { relayFrom } from '../config/relay-url.ts'
import { serversNamed, siteOfRoute } from '../delivery/path/path.ts'
import type { StoredRecipient } from '../email/stored-email.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import { closuresAt } from '../queue/site-states.ts'
import type { SiteClosure, SiteState } from '../store/store.ts'
import type { Caller } from './authority.ts'
import { presentSites } from './sites.ts'
import type { Operation } from './verb.ts'
import { sitesOfDomains, type WaitingSite } from './waiting-sites.ts'

/** Milliseconds that a page waits for the names of mail servers, which delivery has mostly just asked for. */
const PATIENCE_MS = 2_000

/** Mail to one recipient domain. */
export interface ClosedMail {
  /** Null: any. */
  companyId: string | null
  /** Name of its sending domain; null: any. */
  sendingDomain: string | null
  /** Recipient domain. */
  to: string
  /** Names of its servers, where they are only some of the site's; null: they are all. */
  servers: string | null
  /** Name of its source address; absent: any. */
  source?: string
}

/**
 * The first closure that concerns the mail. The server's words are shown only to operators and to the company whose
 * mail was refused, because they may name a recipient.
 */
export function closureFor(
  caller: Caller,
  { companyId, sendingDomain, to, servers, source }: ClosedMail,
  site: SiteState | undefined,
): SiteClosure | null {
  const closures = site === undefined ? [] : closuresAt(site)
  const closed = closures.find(
    (each) =>
      (each.companyId === null || each.companyId === companyId) &&
      (each.sendingDomain === null || each.sendingDomain === sendingDomain) &&
      (each.recipientDomain === null || each.recipientDomain === to) &&
      (each.servers === undefined || each.servers === servers) &&
      (each.source === undefined || source === undefined || each.source === source),
  )
  if (closed === undefined) return null
  const mayRead = caller.kind === 'operator' || closed.metBy === companyId
  return mayRead ? closed : { ...closed, reason: closed.brief, list: null }
}

/** A closure of the path that mail takes, and the name of its site. */
export interface ClosedSite extends SiteClosure {
  name: string
}

/** An email, as far as its paths depend on it. */
interface Sent {
  /** Null: any. */
  companyId: string | null
  domainId: string
  /** Name of its sending domain; null: the domain has been removed. */
  domain: string | null
}

/** The sites of recipients that are held for their path, or for a pause of it, by recipient domain. */
export async function sitesOfHeld(
  op: Operation,
  sent: Pick<Sent, 'companyId' | 'domainId'>,
  recipients: readonly Pick<StoredRecipient, 'address' | 'state' | 'heldFor'>[],
): Promise<ReadonlyMap<string, WaitingSite>> {
  const held = recipients.filter(
    ({ state, heldFor }) => state === 'waiting' && (heldFor === 'path' || heldFor === 'pause'),
  )
  return await sitesFor(op, sent, new Set(held.map(({ address }) => domainOf(address))))
}

/** As far as the servers can be looked up in time. */
async function sitesFor(
  op: Operation,
  { companyId, domainId }: Pick<Sent, 'companyId' | 'domainId'>,
  domains: ReadonlySet<string>,
): Promise<ReadonlyMap<string, WaitingSite>> {
  const routes = new RouteTable(op.accounts.routes)
  const own = companyId === null ? null : siteOfOwnRoute(routes, { companyId, domainId })
  return own === null ? await sitesInTime(op, domains) : new Map([...domains].map((domain) => [domain, own]))
}

/** The site of mail that takes a route of its company or domain; null: it takes POSTROAD_DELIVERY. */
export function siteOfOwnRoute(
  routes: RouteTable,
  of: { companyId: string; domainId: string },
): WaitingSite | null {
  const own = routes.for(of)
  return own && { ...siteOfRoute(relayFrom(own.url, null)), domain: null }
}

/** The sites of recipient domains, the most important first, for a page that shows other things as well. */
export async function sitesInTime(
  op: Operation,
  domains: ReadonlySet<string>,
): Promise<ReadonlyMap<string, WaitingSite>> {
  if (domains.size === 0) return new Map()
  try {
    return await sitesOfDomains(op, domains, PATIENCE_MS)
  } catch {
    // The operator's file of sites cannot be used, which the doctor tells.
    return new Map()
  }
}

/** Finds the closure that holds mail of the email to a recipient domain; null: none is known. */
export async function closuresOf(
  op: Operation,
  sent: Pick<Sent, 'companyId' | 'domain'>,
  sites: ReadonlyMap<string, WaitingSite>,
): Promise<(to: string) => ClosedSite | null> {
  if (sites.size === 0) return () => null
  const states = await presentSites(op)
  return (to) => {
    const site = sites.get(to)
    return site === undefined ? null : closureAt(op.caller, sent, { to, site, states })
  }
}

/** The closure that holds mail of the email to a recipient domain at a site. */
export function closureAt(
  caller: Caller,
  { companyId, domain: sendingDomain }: Pick<Sent, 'companyId' | 'domain'>,
  { to, site, states }: { to: string; site: WaitingSite; states: ReadonlyMap<string, SiteState> },
): ClosedSite | null {
  const mail = { companyId, sendingDomain, to, servers: serversNamed(site.serversKey ?? '') }
  const closed = closureFor(caller, mail, states.get(site.key))
  return closed && { ...closed, name: site.provider ?? site.name }
}
