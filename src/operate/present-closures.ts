/**
 * The closures of paths, as all nodes together know them: those that nodes in service report of their sites, and those
 * that nodes share, which outlive the node that has met them.
 */
import { hasSource, type PresentSources } from '../queue/present-sources.ts'
import { byExtent, closuresAt } from '../queue/site-states.ts'
import type { SiteClosure, SiteState } from '../store/store.ts'
import { sharedClosures } from './shared-closures.ts'
import { freshReports } from './sites.ts'
import type { Operation } from './verb.ts'

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

export class PresentClosures {
  /** No closure is known. */
  static readonly NONE = new PresentClosures(new Map(), new Map(), null)
  /** The report of each node about a site, by key of the site. */
  readonly #reported: ReadonlyMap<string, readonly SiteState[]>
  /** The closures that nodes share, by key of the site. */
  readonly #shared: ReadonlyMap<string, readonly SiteClosure[]>
  /** The names of the sources that a node has; null: not known. */
  readonly sources: PresentSources
  /**
   * All closures of a site in their order, by its key: they are sorted once, and lists ask for thousands of domains.
   */
  readonly #ordered = new Map<string, readonly SiteClosure[]>()
  /** True in the usual case: no site is closed for any mail. */
  readonly none: boolean

  constructor(
    reported: ReadonlyMap<string, readonly SiteState[]>,
    shared: ReadonlyMap<string, readonly SiteClosure[]>,
    sources: PresentSources,
  ) {
    this.#reported = reported
    this.#shared = shared
    this.sources = sources
    const isOpen = (state: SiteState) => closuresAt(state).length === 0
    this.none = shared.size === 0 && [...reported.values()].every((states) => states.every(isOpen))
  }

  /** The closure that concerns the mail, or some of it; null: none does. The one that concerns most mail counts. */
  of(mail: ClosedMail, site: string): SiteClosure | null {
    return this.#allAt(site).find((closure) => concerns(closure, mail)) ?? null
  }

  /** The same, if the mail cannot leave from another one of these sources, or from another node. */
  ofAll(mail: ClosedMail, site: string, sources: readonly string[]): SiteClosure | null {
    const present = sources.filter((name) => hasSource(this.sources, name))
    const isClosed = present.every((source) => this.#isClosed({ ...mail, source }, site, source))
    return present.length > 0 && isClosed ? this.of(mail, site) : null
  }

  #isClosed(mail: ClosedMail, site: string, source: string): boolean {
    const states = this.#reported.get(site) ?? []
    const users = states.filter(({ sources }) => sources.some(({ name }) => name === source))
    // A node may reach servers that another one does not, and sends the mail then.
    const isOpen = users.some((state) => !closuresAt(state).some((closure) => concerns(closure, mail)))
    return !isOpen && this.of(mail, site) !== null
  }

  /** Of equal closures those of nodes in service come first: they know the next try. */
  #allAt(site: string): readonly SiteClosure[] {
    let ordered = this.#ordered.get(site)
    if (ordered === undefined) {
      const reported = (this.#reported.get(site) ?? []).flatMap(closuresAt)
      ordered = [...reported, ...(this.#shared.get(site) ?? [])].toSorted(byExtent)
      this.#ordered.set(site, ordered)
    }
    return ordered
  }
}

function concerns(
  closure: SiteClosure,
  { companyId, sendingDomain, to, servers, source }: ClosedMail,
): boolean {
  return (
    (closure.companyId === null || closure.companyId === companyId) &&
    (closure.sendingDomain === null || closure.sendingDomain === sendingDomain) &&
    (closure.recipientDomain === null || closure.recipientDomain === to) &&
    (closure.servers === undefined || closure.servers === servers) &&
    (closure.source === undefined || source === undefined || closure.source === source)
  )
}

/** `fresh`: the reports of nodes in service. */
export async function presentClosures(op: Operation, fresh = freshReports(op)): Promise<PresentClosures> {
  const [reports, { closures, sources }] = await Promise.all([fresh, sharedClosures(op)])
  const reported = Map.groupBy(
    reports.flatMap(({ sites }) => sites),
    ({ key }) => key,
  )
  return new PresentClosures(reported, closures, sources)
}
