/** Sites of direct delivery: the limits that hold, how much of them is used, and which are closed. */
import { mailHosts } from '../delivery/path/mail-hosts.ts'
import { siteOf, siteOfProvider } from '../delivery/path/site-directory.ts'
import type { SiteLimits } from '../delivery/sites/site-block.ts'
import type { ProviderBlock, SiteAgreement, SiteTable } from '../delivery/sites/site-table.ts'
import { pauseOf } from '../queue/pauses.ts'
import { byExtent, combined, inOrder } from '../queue/site-states.ts'
import type { Pause, SiteClosure, SiteReport, SiteState, SiteTrouble } from '../store/store.ts'
import { OperateError } from './error.ts'
import { domainName } from './find.ts'
import { sharedClosures } from './shared-closures.ts'
import { type Operation, verb } from './verb.ts'

/** Milliseconds after which a report is taken for that of a node that has ended. */
const STALE_MS = 60_000

export interface SiteDescription
  extends Omit<SiteState, 'key' | 'limits' | 'lastMessageAt' | 'lastAcceptedAt' | 'lastTrouble'> {
  limits: Required<SiteState['limits']>
  lastMessageAt: number | null
  lastAcceptedAt: number | null
  lastTrouble: SiteTrouble | null
  /** Recipient domains in the provider's block of the limits file. */
  domains: readonly string[]
  /** The source of the provider's limits, such as its documentation. */
  source: string | null
  /** The pause of mail of all companies to it; null: there is none. */
  pause: Pause | null
}

/** The sites that had mail within a day, and all known providers. */
export const listSites = verb(
  'operate',
  async (op, _input: object): Promise<SiteDescription[]> => {
    const table = op.sites()
    const states = await sitesWithClosures(op)
    const pauses = await op.store.pauses(op.now())
    const used = new Set([...states.values()].map(({ name }) => name))
    const unused = table.providers.filter(({ provider }) => !used.has(provider)).map(unusedSite)
    const all = [...[...states.values()].map((state) => found(state, table)), ...unused]
    return inOrder(all.map((each) => withPause(each, pauses)))
  },
  null,
)

/** `site`: a name as listed, the name of a mail server, or a recipient domain. */
export const showSite = verb(
  'operate',
  async (op, { site }: { site: string }): Promise<SiteDescription> =>
    withPause(await findSite(op, site), await op.store.pauses(op.now())),
  null,
)

interface SiteMatch {
  key: string
  site: Omit<SiteDescription, 'pause'>
}

function withPause({ key, site }: SiteMatch, pauses: readonly Pause[]): SiteDescription {
  const scope = { companyId: null, domain: null, site: { key, name: site.name } }
  return { ...site, pause: pauseOf(pauses, scope) ?? null }
}

/** Throws OperateError `not_found`. `site`: as for `showSite`. */
export async function findSite(op: Operation, site: string): Promise<SiteMatch> {
  const table = op.sites()
  const states = await sitesWithClosures(op)
  const wanted = site.trim().toLowerCase()
  const known = named([...states.values()], wanted)
  if (known !== undefined) return found(known, table)
  const provider = table.provider(wanted) ?? table.ofHost(wanted)
  if (provider !== null) return ofProvider(provider, states, table)
  const host = [...states.values()].find(({ hosts }) => hosts.includes(wanted))
  if (host !== undefined) return found(host, table)
  if (!wanted.includes('.')) {
    throw new OperateError('not_found', `there is no site "${site}"`, { verb: 'listSites' })
  }
  return await ofDomain(op, domainName(wanted), states, table)
}

function found(state: SiteState, table: SiteTable): SiteMatch {
  return { key: state.key, site: described(state, table) }
}

async function ofDomain(
  op: Operation,
  domain: string,
  states: ReadonlyMap<string, SiteState>,
  table: SiteTable,
): Promise<SiteMatch> {
  const hosts = await mailHosts(domain, op.hosts(), { ownName: null })
  const ranks = hosts.kind === 'hosts' ? hosts.ranks : []
  const agreement = table.recognise(domain, ranks)
  if (hosts.kind === 'none' && agreement.provider === null) {
    const code = hosts.failure.finding === 'server' ? 'unavailable' : 'not_found'
    throw new OperateError(code, hosts.failure.message, { verb: 'listSites' })
  }
  const { key, name, provider } = siteOf(domain, { hosts, until: 0 }, agreement)
  const state = states.get(key)
  if (state !== undefined) return found(state, table)
  // The reports have places for some sites only.
  const { closures } = await sharedClosures(op)
  const site = { ...idle(agreement), name, provider, hosts: ranks.flat(), domains: [] }
  return { key, site: withClosures(site, closures.get(key)) }
}

/** The reports of nodes in service. */
export async function freshReports({ store, now }: Pick<Operation, 'store' | 'now'>): Promise<SiteReport[]> {
  return (await store.siteReports()).filter(({ at }) => now() - at <= STALE_MS)
}

/** The sites as all nodes together see them, by key. */
export async function presentSites(op: Pick<Operation, 'store' | 'now'>): Promise<Map<string, SiteState>> {
  return combinedSites(await freshReports(op))
}

/**
 * The same for people. A node does not report the closures of a site that no mail has gone to since its start: they are
 * among those that nodes share.
 */
async function sitesWithClosures(op: Operation): Promise<Map<string, SiteState>> {
  const states = await presentSites(op)
  const idle = [...states.values()].filter(({ sources }) => sources.length === 0)
  if (idle.length === 0) return states
  const { closures } = await sharedClosures(op)
  for (const state of idle) states.set(state.key, withClosures(state, closures.get(state.key)))
  return states
}

function withClosures<State extends object>(state: State, closures: readonly SiteClosure[] = []) {
  const [closed = null, ...others] = closures.toSorted(byExtent)
  return { ...state, closed, ...(others.length > 0 && { others }) }
}

/** The sites of these reports, by key. */
export function combinedSites(reports: readonly SiteReport[]): Map<string, SiteState> {
  const states = new Map<string, SiteState>()
  for (const { sites } of reports) {
    for (const site of sites) {
      const before = states.get(site.key)
      states.set(site.key, before === undefined ? site : combined(before, site))
    }
  }
  return states
}

function named(states: readonly SiteState[], wanted: string): SiteState | undefined {
  return states.find(({ name }) => name.toLowerCase() === wanted)
}

function ofProvider(
  block: ProviderBlock,
  states: ReadonlyMap<string, SiteState>,
  table: SiteTable,
): SiteMatch {
  const state = named([...states.values()], block.provider.toLowerCase())
  return state === undefined ? unusedSite(block) : found(state, table)
}

function described({ key: _, ...state }: SiteState, table: SiteTable): SiteMatch['site'] {
  const block = state.provider === null ? null : table.provider(state.provider)
  const { source } = block ?? table.general
  const whole = block !== null && state.name === block.provider
  return {
    ...state,
    lastMessageAt: state.lastMessageAt ?? null,
    lastAcceptedAt: state.lastAcceptedAt ?? null,
    lastTrouble: state.lastTrouble ?? null,
    limits: {
      ...state.limits,
      envelopeBehindDot: state.limits.envelopeBehindDot ?? true,
      size: state.limits.size ?? null,
      backOff: state.limits.backOff ?? null,
    },
    hosts: whole ? [...block.mx] : state.hosts,
    domains: whole ? block.domains : [],
    source,
  }
}

function unusedSite(block: ProviderBlock): SiteMatch {
  const { key, name } = siteOfProvider(block.provider)
  return { key, site: { ...idle(block), name, hosts: [...block.mx], domains: block.domains } }
}

function idle({ provider, limits, source }: SiteAgreement): Omit<
  SiteDescription,
  'name' | 'hosts' | 'domains' | 'pause'
> & {
  limits: SiteLimits
} {
  return {
    provider,
    limits,
    source,
    lowered: { sessions: null, messagesPerMinute: null },
    used: { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 },
    lastMessageAt: null,
    lastAcceptedAt: null,
    lastTrouble: null,
    closed: null,
    sources: [],
  }
}
