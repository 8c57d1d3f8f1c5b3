/** The states of this node's sites, for people. */
import type { MailServers, Path } from '../delivery/path/path.ts'
import type { SiteClosure, SiteState, SiteTrouble, SiteWarmUp, SourceState } from '../store/store.ts'
import type { RecentMessages } from './pacing.ts'

/** The present use of a path. */
export interface PathUse {
  path: Path
  sessions: number
  recent: RecentMessages
  /** Unix ms; null: none is known. */
  lastMessageAt: number | null
  lastAcceptedAt: number | null
  lastTrouble: SiteTrouble | null
  lowered: SiteState['lowered']
  /** Closures that concern most mail come first. */
  closures: SiteClosure[]
  /** Null: its source is not warming up. */
  warmUp: SiteWarmUp | null
}

/** The most sites in a report, apart from those of providers. */
const MAX_SITES = 200
/**
 * How many of them are for sites that are closed for mail of single companies alone, and the most of one company: its
 * own mail to servers that nobody else writes to must not take the places of other sites.
 */
const MAX_CLOSED_FOR_ONE = 50
const MAX_OF_ONE = 10
const MAX_HOSTS = 20
/** The most closures of a site in a report. */
const MAX_CLOSURES = 50

/** The state of each site, combined from all paths to it, whatever their source or policy. */
export function siteStates(uses: Iterable<PathUse>): SiteState[] {
  const states = new Map<string, SiteState>()
  for (const use of uses) {
    const { key, kind } = use.path.site
    if (kind === 'capture' || kind === 'simulator') continue
    const before = states.get(key)
    states.set(key, before === undefined ? stateOf(use) : combined(before, stateOf(use)))
  }
  return sitesForReport([...states.values()])
}

/** The sites that a report has room for, in order. */
export function sitesForReport(states: SiteState[]): SiteState[] {
  const [providers, others] = partition(states, ({ provider, name }) => provider === name)
  const [closedForOne, rest] = partition(
    inOrder(others),
    ({ closed }) => closed !== null && closed.companyId !== null,
  )
  const shares = new Map<string, number>()
  const [shown, further] = partition(closedForOne, ({ closed }) => {
    const companyId = closed?.companyId ?? ''
    const share = (shares.get(companyId) ?? 0) + 1
    shares.set(companyId, share)
    return share <= MAX_OF_ONE
  })
  const first = shown.slice(0, MAX_CLOSED_FOR_ONE)
  const last = [...shown.slice(MAX_CLOSED_FOR_ONE), ...further]
  return inOrder([...providers, ...first, ...[...rest, ...last].slice(0, MAX_SITES - first.length)])
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const [first, second]: [Item[], Item[]] = [[], []]
  for (const item of items) (isFirst(item) ? first : second).push(item)
  return [first, second]
}

function together<State extends Pick<SiteState, 'lowered' | 'used' | 'closed'>>(
  one: State,
  other: State,
): State {
  return {
    ...one,
    lowered: {
      sessions: sum(one.lowered.sessions, other.lowered.sessions),
      messagesPerMinute: sum(one.lowered.messagesPerMinute, other.lowered.messagesPerMinute),
    },
    used: {
      sessions: one.used.sessions + other.used.sessions,
      messagesLastMinute: one.used.messagesLastMinute + other.used.messagesLastMinute,
      messagesLastHour: one.used.messagesLastHour + other.used.messagesLastHour,
    },
    closed: [one.closed ?? [], other.closed ?? []].flat().toSorted(byExtent)[0] ?? null,
  }
}

/** All closures of a site. */
export function closuresAt({ closed, others = [] }: SiteState): SiteClosure[] {
  return closed === null ? others : [closed, ...others]
}

/**
 * Combines two states of a site, from different paths or nodes. Allowances and uses are added up; the widest closure is
 * shown first.
 */
export function combined(one: SiteState, other: SiteState): SiteState {
  const sources = Map.groupBy([...one.sources, ...other.sources], ({ name }) => name)
  const closures = [one, other].flatMap(closuresAt)
  const [closed = null, ...others] = closures.toSorted(byExtent)
  return {
    ...together(one, other),
    lastMessageAt: Math.max(one.lastMessageAt ?? 0, other.lastMessageAt ?? 0) || null,
    lastAcceptedAt: Math.max(one.lastAcceptedAt ?? 0, other.lastAcceptedAt ?? 0) || null,
    lastTrouble: later(one.lastTrouble ?? null, other.lastTrouble ?? null),
    closed,
    ...(others.length > 0 && { others: others.slice(0, MAX_CLOSURES) }),
    hosts: [...new Set([...one.hosts, ...other.hosts])].slice(0, MAX_HOSTS),
    sources: [...sources.values()].map((same) => same.reduce(sourceTogether)),
  }
}

function later(one: SiteTrouble | null, other: SiteTrouble | null): SiteTrouble | null {
  return one === null || (other !== null && other.at > one.at) ? other : one
}

function sourceTogether(one: SourceState, other: SourceState): SourceState {
  // Each node knows the messages of all nodes as of its last look, so the higher count is the newer one.
  const [warmUp] = [one.warmUp ?? [], other.warmUp ?? []].flat().toSorted((a, b) => b.messages - a.messages)
  return { ...together(one, other), ...(warmUp && { warmUp }) }
}

/** Closures that concern most mail come first. */
export function byExtent(a: SiteClosure, b: SiteClosure): number {
  return narrowness(a) - narrowness(b)
}

function narrowness({ companyId, sendingDomain, recipientDomain, servers }: SiteClosure): number {
  return [companyId, sendingDomain, recipientDomain, servers ?? null].filter((each) => each !== null).length
}

/** Sites that need attention come first: those closed for all companies, then those closed for some. */
export function inOrder<State extends Pick<SiteState, 'closed' | 'used' | 'name' | 'lastMessageAt'>>(
  states: State[],
): State[] {
  return states.toSorted(
    (a, b) =>
      openness(a) - openness(b) ||
      b.used.messagesLastHour - a.used.messagesLastHour ||
      b.used.sessions - a.used.sessions ||
      (b.lastMessageAt ?? 0) - (a.lastMessageAt ?? 0) ||
      (a.name < b.name ? -1 : 1),
  )
}

function openness({ closed }: Pick<SiteState, 'closed'>): number {
  if (closed === null) return 2
  return closed.companyId === null ? 0 : 1
}

function stateOf(use: PathUse): SiteState {
  const { path, sessions, recent, lastMessageAt, lastAcceptedAt, lastTrouble, lowered, closures, warmUp } =
    use
  const [closed = null, ...others] = closures.map((each) => ({ ...each, source: path.source.name }))
  const { source, site, limits, terms } = path
  const used = { sessions, messagesLastMinute: recent.minute, messagesLastHour: recent.hour }
  const { messagesPerSession, recipientsPerTransaction, tls, envelopeBehindDot, size = null } = terms
  return {
    key: site.key,
    name: site.name,
    provider: site.provider,
    hosts: hostsOf(site.servers).slice(0, MAX_HOSTS),
    limits: {
      sessions: limits.sessions,
      messagesPerSession,
      messagesPerMinute: limits.messagesPerMinute,
      messagesPerHour: limits.messagesPerHour,
      recipientsPerTransaction,
      tls: path.policy.route.kind === 'relay' ? path.policy.route.tls : tls,
      envelopeBehindDot,
      size,
      backOff: limits.backOff ?? null,
    },
    lowered,
    used,
    lastMessageAt,
    lastAcceptedAt,
    lastTrouble,
    closed,
    ...(others.length > 0 && { others: others.slice(0, MAX_CLOSURES) }),
    sources: [{ name: source.name, helo: source.helo, lowered, used, closed, ...(warmUp && { warmUp }) }],
  }
}

function hostsOf(servers: MailServers | null): string[] {
  return servers?.hosts.kind === 'hosts' ? servers.hosts.ranks.flat() : []
}

function sum(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0)
}
