/** The closures of paths, as the nodes report them, that keep mail waiting. */

import { RouteTable } from '../accounts/routes.ts'
import { relayFrom } from '../config/relay-url.ts'
import { serversNamed, siteOfRoute } from '../delivery/path/path.ts'
import { isOfOthers } from '../email/not-attempted.ts'
import type { StoredRecipient } from '../email/stored-email.ts'
import { domainOf } from '../mail/address/address-domain.ts'
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
  const closures = site === undefined ? [] : [site.closed ?? [], site.others ?? []].flat()
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

/** Empty if the servers cannot be looked up in time. */
async function sitesFor(
  op: Operation,
  { companyId, domainId }: Pick<Sent, 'companyId' | 'domainId'>,
  domains: ReadonlySet<string>,
): Promise<ReadonlyMap<string, WaitingSite>> {
  if (domains.size === 0) return new Map()
  const own = companyId && new RouteTable(op.accounts.routes).for({ companyId, domainId })
  if (own) {
    const relay = { ...siteOfRoute(relayFrom(own.url, null)), domain: null }
    return new Map([...domains].map((domain) => [domain, relay]))
  }
  const { promise: tooLate, resolve } = Promise.withResolvers<ReadonlyMap<string, WaitingSite>>()
  const timer = setTimeout(() => resolve(new Map()), PATIENCE_MS)
  try {
    return await Promise.race([sitesOfDomains(op, domains), tooLate])
  } catch {
    // The operator's file of sites cannot be used, which the doctor tells.
    return new Map()
  } finally {
    clearTimeout(timer)
  }
}

/** Finds the closure that holds mail of the email to a recipient domain; null: none is known. */
export async function closuresOf(
  op: Operation,
  { companyId, domain: sendingDomain }: Pick<Sent, 'companyId' | 'domain'>,
  sites: ReadonlyMap<string, WaitingSite>,
): Promise<(to: string) => ClosedSite | null> {
  if (sites.size === 0) return () => null
  const states = await presentSites(op)
  return (to) => {
    const site = sites.get(to)
    if (site === undefined) return null
    const servers = serversNamed(site.serversKey ?? '')
    const mail = { companyId, sendingDomain, to, servers }
    const closed = closureFor(op.caller, mail, states.get(site.key))
    return closed && { ...closed, name: site.provider ?? site.name }
  }
}

/** Lanes of held mail whose sites are looked up: those with most waiting mail. */
const MOST_LANES = 100

interface HeldLane {
  companyId: string | null
  domain: string
  waiting: number
  nextDueAt: number | null
  lastMessage: string | null
}

/**
 * The lanes with the next try of their path, which releases the mail that is held for it: the mail's own times are
 * spread over the time after it.
 */
export async function withNextTries<Lane extends HeldLane>(
  op: Operation,
  lanes: readonly Lane[],
): Promise<Lane[]> {
  const held = lanes
    .filter(({ lastMessage, nextDueAt }) => nextDueAt !== null && isOfOthers(lastMessage))
    .toSorted((a, b) => b.waiting - a.waiting)
    .slice(0, MOST_LANES)
  const next = new Map<Lane, number>()
  for (const [companyId, group] of Map.groupBy(held, (lane) => lane.companyId)) {
    const sites = await sitesFor(op, { companyId, domainId: '' }, new Set(group.map(({ domain }) => domain)))
    const closureOf = await closuresOf(op, { companyId, domain: null }, sites)
    for (const lane of group) {
      const closed = closureOf(lane.domain)
      if (closed !== null) next.set(lane, Math.min(lane.nextDueAt!, closed.nextTryAt))
    }
  }
  return lanes.map((lane) => ({ ...lane, nextDueAt: next.get(lane) ?? lane.nextDueAt }))
}
