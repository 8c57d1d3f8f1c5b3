/** Sites that take no mail, as delivering nodes have written them into the store. */
import type { TroubleKind } from '../../src/email/trouble-kind.ts'
import type { SiteClosure, SiteState, Store } from '../../src/store/store.ts'
import { node } from '../store/samples.ts'

export interface ClosedSite {
  /** Key of the site. */
  site: string
  kind?: TroubleKind
  list?: { name: string; removal: string } | null
  since?: number
  /** The company whose mail alone the closure concerns; absent: it concerns all mail. */
  companyId?: string | null
  /** The company whose mail met it last. */
  metBy?: string | null
  /** Name of the source whose path it is. */
  source?: string
}

/** Paths that all nodes share. */
export async function shareClosedPaths(store: Store, ...closed: ClosedSite[]): Promise<void> {
  const paths = closed.map(
    ({ site, kind = 'path', list = null, since = 1, companyId = null, metBy = null, source = 'default' }) => {
      const key = `${source}\0${site}\0default`
      const facts = {
        ...{ path: key, companyId, domainId: null, to: null, metBy },
        ...{ kind, message: 'no', brief: 'no', list, since, probeAt: 2 },
      }
      return {
        ...{ key, node: 1, changedAt: Date.now() },
        state: { closed: facts, sessions: null, messagesPerMinute: null },
      }
    },
  )
  await store.sharePaths({ paths, changed: [], usual: [], before: 0 })
}

/** Opens the paths to these sites, or to all. */
export async function openPaths(store: Store, ...sites: string[]): Promise<void> {
  const keys = (await store.sharedPaths()).map(({ key }) => key)
  const usual = keys.filter((key) => sites.length === 0 || sites.includes(key.split('\0')[1]!))
  await store.sharePaths({ paths: [], changed: [], usual, before: 0 })
}

/** A node that cannot reach the servers of these providers, until it is left. */
export async function cannotReach(store: Store, ...providers: string[]): Promise<AsyncDisposable> {
  const closed = { kind: 'unreachable', since: 1 } as const
  return await reportClosed(
    store,
    providers.map((name) => ({ ...closed, name, provider: name })),
  )
}

/** A node that reports these sites as closed for all mail, until it is left. */
export async function reportClosed(
  store: Store,
  closed: readonly ({ name: string; provider?: string } & Pick<SiteClosure, 'kind' | 'since'> &
    Partial<Pick<SiteClosure, 'brief' | 'metBy'>>)[],
): Promise<AsyncDisposable> {
  const nowhere = { companyId: null, company: null, sendingDomain: null, recipientDomain: null }
  return await report(
    store,
    closed.map(({ name, kind, since, provider = null, brief = '', metBy = null }) => ({
      ...stateOf(name, provider),
      closed: {
        ...{ since, kind, reason: 'no answer', brief, nextTryAt: 2 },
        ...{ metBy, ...nowhere, list: null },
      },
    })),
  )
}

/** A node that sends mail to the site from the source, until it is left. */
export async function reportOpen(store: Store, name: string, source: string): Promise<AsyncDisposable> {
  const state = stateOf(name, null)
  const { lowered, used, closed } = state
  return await report(store, [
    { ...state, sources: [{ name: source, helo: 'mail.test', lowered, used, closed }] },
  ])
}

async function report(store: Store, sites: SiteState[]): Promise<AsyncDisposable> {
  const token = await store.join(node('reporting'))
  await store.reportSites({ node: token, at: Date.now(), sites })
  return { [Symbol.asyncDispose]: () => store.leave(token) }
}

function stateOf(name: string, provider: string | null): SiteState {
  return {
    ...{ key: provider === null ? `mx:${name}` : `provider:${name}`, name, provider, hosts: [], sources: [] },
    limits: {
      ...{ sessions: 2, messagesPerSession: 100, messagesPerMinute: null, messagesPerHour: null },
      ...{ recipientsPerTransaction: 100, tls: 'opportunistic' },
    },
    lowered: { sessions: null, messagesPerMinute: null },
    used: { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 },
    closed: null,
  }
}
