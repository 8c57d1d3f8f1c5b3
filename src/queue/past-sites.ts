/** The sites of nodes that have ended: a restart of the service forgets neither their names nor their last messages. */
import type { SiteReport, SiteState } from '../store/store.ts'
import { combined, sitesForReport } from './site-states.ts'

/** Ms for which a site is known after its last message. */
const KNOWN_MS = 24 * 60 * 60 * 1_000

/** The states of the sites of ended nodes, without the parts that end with a node. */
export function pastSites(known: readonly SiteState[], reports: readonly SiteReport[]): SiteState[] {
  return sitesForReport(statesOf([...reports.flatMap(({ sites }) => sites), ...known]).map(past))
}

/** Completes the states of the present sites by what is known of earlier ones. `now`: Unix ms. */
export function withPast(present: SiteState[], earlier: readonly SiteState[], now: number): SiteState[] {
  const known = earlier.filter(({ lastMessageAt }) => (lastMessageAt ?? 0) > now - KNOWN_MS)
  return known.length === 0 ? present : sitesForReport(statesOf([...present, ...known]))
}

/** One state for each site. Of two, the first one counts where they differ. */
function statesOf(states: readonly SiteState[]): SiteState[] {
  return [...Map.groupBy(states, ({ key }) => key).values()].map((same) => same.reduce(combined))
}

/** Closures outlive a node elsewhere (`shared_paths`), and nothing is under way. */
function past({ others: _, ...site }: SiteState): SiteState {
  return {
    ...site,
    lowered: { sessions: null, messagesPerMinute: null },
    used: { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 },
    closed: null,
    sources: [],
  }
}
