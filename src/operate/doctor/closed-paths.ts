/** Sites that take no mail from here: each is a subject of its own, which begins and ends by itself. */

import { clip } from '../../common/clip.ts'
import { Tally } from '../../common/tally.ts'
import { siteKeyOf } from '../../delivery/path/path.ts'
import { isOfProvider } from '../../delivery/path/site-directory.ts'
import type { TroubleKind } from '../../email/trouble-kind.ts'
import type { ClosedPath, SiteClosure, SiteState } from '../../store/store.ts'
import { commandFor } from '../problem-command.ts'
import { replyIn } from '../reply-text.ts'
import { sharedClosedPaths } from '../shared-closures.ts'
import { presentSites } from '../sites.ts'
import type { Operation } from '../verb.ts'
import { type DoctorCheck, ok, type PlannedCheck, problem, warning } from './check.ts'

/**
 * Sites that have a check of their own, in addition to those of large providers. The sites that have been closed for
 * longest come first, so that a new one takes nobody's place.
 */
const MAX_SITES = 10
/** Sites among them that the mail of one company met: a company can send to any number of servers of its own. */
const MAX_OF_ONE = 3
/** Closures of one site that are named. */
const MAX_NAMED = 5

/** Characters of a reply in an alert. */
const LONGEST_REPLY = 300

/** Whether closures are about this service: a site that is down or busy is one of many, and opens by itself. */
const CONCERNS_US: Readonly<Record<TroubleKind, boolean>> = {
  credentials: true,
  path: true,
  sender: true,
  source: false,
  busy: false,
  unreachable: false,
}

export function concernsThisService({ kind }: Pick<SiteClosure, 'kind'>): boolean {
  return CONCERNS_US[kind]
}

export function isUnreachableProvider({ provider, closed }: SiteState): boolean {
  return provider !== null && closed?.kind === 'unreachable'
}

const ID = 'held-mail'
const TITLE = 'Closed paths'
const ALL_SITES = '“Sites” on the page Installation lists them all, with the cause that each server names.'
const WAITS = 'the mail waits, and is tried again by itself.'

/** Has a part for each site. */
export function heldMailCheck(op: Operation): PlannedCheck {
  return {
    id: ID,
    title: TITLE,
    async run() {
      const [{ closed }, sites] = await Promise.all([sharedClosedPaths(op), presentSites(op)])
      const paths = closed.map(({ path }) => path)
      const parts = [...refusingSites(op, paths, sites), ...unreachableProviders(sites)]
      return { ...ok('No server or relay refuses mail from here.'), parts }
    },
  }
}

function refusingSites(
  op: Operation,
  paths: readonly ClosedPath[],
  sites: ReadonlyMap<string, SiteState>,
): DoctorCheck[] {
  const refusals = paths.filter(concernsThisService)
  const bySite = [...Map.groupBy(refusals, ({ path }) => siteKeyOf(path))].toSorted(
    ([one, a], [other, b]) => firstOf(a) - firstOf(b) || (one < other ? -1 : 1),
  )
  const ranks = new Tally()
  const refusing = bySite.map(([key, closures]) => {
    const name = sites.get(key)?.name ?? nameIn(key)
    // Closures for all mail come first: a company can cause many of its own.
    const inOrder = [...closures.filter(concernsAll), ...closures.filter((each) => !concernsAll(each))]
    const sentences = (site: string) => inOrder.map((closed) => refusalSentence(op, closed, site))
    const [{ metBy }] = inOrder as [ClosedPath]
    const rank = metBy === null ? 0 : ranks.of(metBy)
    if (metBy !== null) ranks.add(metBy, 1)
    return { key, name, rank, refusesAll: concernsAll(inOrder[0]!), sentences }
  })
  const named = namedOf(refusing.filter(({ refusesAll }) => refusesAll))
  const others = refusing
    .filter((site) => !named.includes(site))
    .toSorted((one, other) => one.rank - other.rank)
    .flatMap(({ name, sentences }) => sentences(name))
  const checks = named.map(({ key, name, sentences }) => ({
    ...subject(key, name),
    // The title names the site.
    ...problem(limited(sentences('The server')), `Correct the cause that the server names; ${WAITS}`),
  }))
  if (others.length === 0) return checks
  return [
    ...checks,
    {
      id: ID,
      title: TITLE,
      ...problem(limited(others), `${ALL_SITES} Meanwhile, ${WAITS}`),
      code: commandFor(ID),
    },
  ]
}

/** `rank`: the number of earlier sites that mail of the same company met. */
function namedOf<Site extends { key: string; rank: number }>(sites: readonly Site[]): Site[] {
  const named = sites.filter(({ key, rank }) => !isOfProvider(key) && rank < MAX_OF_ONE).slice(0, MAX_SITES)
  return sites.filter((site) => isOfProvider(site.key) || named.includes(site))
}

/** A company can close many paths to its own mail, with servers of its own: they share one check. */
function concernsAll({ companyId }: ClosedPath): boolean {
  return companyId === null
}

/**
 * The servers of a large provider are hardly all down. Where those of several cannot be reached, this machine may be
 * cut off; a single one says nothing about port 25.
 */
function unreachableProviders(sites: ReadonlyMap<string, SiteState>): DoctorCheck[] {
  const unreachable = [...sites.values()].filter(isUnreachableProvider)
  const advice =
    new Set(unreachable.map(({ provider }) => provider)).size > 1
      ? `Check that this machine reaches them at port 25; ${WAITS}`
      : `Nothing needs to be done while mail to other sites leaves: ${WAITS}`
  return unreachable.slice(0, MAX_SITES).map(({ key, name, provider, closed }) => {
    const found = `Mail servers of ${provider}${only(closed!)} cannot be reached: ${clip(closed!.reason, LONGEST_REPLY)}.`
    return { ...subject(key, name, 'unreachable'), ...warning(found, advice) }
  })
}

function only({ servers }: SiteClosure): string {
  return servers === undefined ? '' : ` (${servers})`
}

function subject(key: string, name: string, kind = ''): Pick<DoctorCheck, 'id' | 'title'> {
  // A key has a server a line.
  const rest = [...(kind === '' ? [] : [kind]), key.replaceAll('\n', ',')].join(':')
  return { id: `${ID}:${rest}`, title: `Mail to ${name}` }
}

function firstOf(closures: readonly ClosedPath[]): number {
  return Math.min(...closures.map(({ since }) => since))
}

function limited(sentences: readonly string[]): string {
  const more = sentences.length - MAX_NAMED
  return `${sentences.slice(0, MAX_NAMED).join(' ')}${more > 0 ? ` There are ${more} more.` : ''}`
}

function refusalSentence(
  { accounts }: Operation,
  { companyId, domainId, message, list }: ClosedPath,
  site: string,
): string {
  const domain = accounts.domains.find(({ id }) => id === domainId)?.name ?? 'a removed domain'
  const company = accounts.companies.find(({ id }) => id === companyId)?.name ?? 'a removed company'
  const whose =
    domainId !== null ? ` from ${domain}` : companyId !== null ? ` from the company ${company}` : ''
  const listed = list === null ? '' : ` (on the block list of ${list.name}; removal: ${list.removal})`
  const reply = clip(replyIn(message) ?? message, LONGEST_REPLY).replace(/\.$/, '')
  return `${site} refuses mail${whose}: ${reply}${listed}.`
}

/** `relay:smtp.example.com:587` is `smtp.example.com`, and the servers of a site have no other name. */
function nameIn(siteKey: string): string {
  const [first, ...others] = (/^relay:(.+):\d+$/.exec(siteKey)?.[1] ?? siteKey.replace(/^\w+:/, '')).split(
    '\n',
  )
  return others.length === 0 ? first! : `${first} +${others.length}`
}
