/** The closures that keep mail waiting, as people see them. */
import { RouteTable } from '../accounts/routes.ts'
import { relayFrom } from '../config/relay-url.ts'
import { type RoutingFields, serversText, siteOfRoute } from '../delivery/path/path.ts'
import type { StoredRecipient } from '../email/stored-email.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import type { SiteClosure } from '../store/store.ts'
import type { Caller } from './authority.ts'
import type { PresentClosures } from './present-closures.ts'
import { sourceChoice } from './source-choice.ts'
import type { Operation } from './verb.ts'
import { sitesOfDomains, type WaitingSite } from './waiting-sites.ts'

/** Milliseconds that a page waits for the names of mail servers, which delivery has mostly just asked for. */
const PATIENCE_MS = 2_000

/** A closure, and the name of its site. */
export interface ClosedSite extends SiteClosure {
  name: string
}

/**
 * The closure that keeps mail to a recipient domain waiting; null: none is known. `isHeld`: the mail has met it; other
 * mail is kept only where it could take no other way.
 */
export type FindClosure = (to: string, isHeld: boolean) => ClosedSite | null

/** The closure as the caller may read it. */
export function readable<Closure extends SiteClosure>(
  caller: Caller,
  companyId: string | null,
  closure: Closure,
): Closure {
  return caller.kind === 'operator' ? closure : readableInCompany(companyId, closure)
}

/**
 * The closure as people of a company may read it; held mail shows the same. The server's words are shown only to the
 * company whose mail was refused, because they may name a recipient.
 */
export function readableInCompany<Closure extends SiteClosure>(
  companyId: string | null,
  closure: Closure,
): Closure {
  return closure.metBy === companyId ? closure : { ...closure, reason: closure.brief, list: null }
}

/** The recipient domains of mail whose site tells what it waits for: it is held, due, or in the memory of a node. */
export function domainsToPlace(
  recipients: readonly Pick<StoredRecipient, 'address' | 'state' | 'heldFor' | 'dueAt'>[],
  closures: PresentClosures,
  now: number,
): Set<string> {
  const isMeant = ({ state, heldFor, dueAt }: (typeof recipients)[number]) => {
    if (state === 'waiting' && (heldFor === 'pause' || heldFor === 'path')) return true
    const isDue = state === 'sending' || (state === 'waiting' && (dueAt === null || dueAt <= now))
    return isDue && !closures.none
  }
  return new Set(recipients.filter(isMeant).map(({ address }) => domainOf(address)))
}

/** The sites that mail of the email to these domains goes to, as far as the servers can be looked up in time. */
export async function sitesOfEmail(
  op: Operation,
  { companyId, domainId }: Pick<RoutingFields, 'companyId' | 'domainId'>,
  domains: ReadonlySet<string>,
): Promise<ReadonlyMap<string, WaitingSite>> {
  const own = siteOfOwnRoute(new RouteTable(op.accounts.routes), { companyId, domainId })
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
  patience = PATIENCE_MS,
): Promise<ReadonlyMap<string, WaitingSite>> {
  if (domains.size === 0) return new Map()
  try {
    return await sitesOfDomains(op, domains, patience)
  } catch {
    // The operator's file of sites cannot be used, which the doctor tells.
    return new Map()
  }
}

/**
 * For all emails with the same `RoutingFields`, apart from the id. An answer is remembered. `siteOf`: by recipient
 * domain; undefined: it is not known.
 */
export function closureFinder(
  op: Operation,
  closures: PresentClosures,
  sent: RoutingFields,
  siteOf: (to: string) => WaitingSite | undefined,
): FindClosure {
  const domain = op.accounts.domains.find(({ id }) => id === sent.domainId)
  const names = sourceNames(op, sent)
  const find = (to: string, isHeld: boolean, site: WaitingSite): ClosedSite | null => {
    const servers = serversText(site.serversKey ?? '')
    const mail = { companyId: sent.companyId, sendingDomain: domain?.name ?? null, to, servers }
    const closed = isHeld ? closures.of(mail, site.key) : closures.ofAll(mail, site.key, names(site))
    return closed && { ...readable(op.caller, sent.companyId, closed), name: site.provider ?? site.name }
  }
  const found = new Map<string, ClosedSite | null>()
  return (to, isHeld) => {
    const site = siteOf(to)
    if (site === undefined || sent.testMode) return null
    const key = `${site.key}\0${isHeld}\0${to}`
    let closed = found.get(key)
    if (closed === undefined) {
      closed = find(to, isHeld, site)
      found.set(key, closed)
    }
    return closed
  }
}

/** The names of the sources that the mail may leave from to a site. */
function sourceNames(op: Operation, sent: RoutingFields): (site: WaitingSite) => readonly string[] {
  const choice = sourceChoice(op)
  let direct: readonly string[] | undefined
  return ({ key }) => {
    if (key.startsWith('relay:')) return [choice.general.name]
    direct ??= choice.of(sent).map(({ name }) => name)
    return direct
  }
}
