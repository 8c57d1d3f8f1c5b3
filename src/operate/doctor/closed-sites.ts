/** Sites that are busy or down, or that mail has been too much for: other people's trouble, in which mail waits. */
import { utcTime } from '../../common/utc-day.ts'
import { closuresAt } from '../../queue/site-states.ts'
import type { SiteState } from '../../store/store.ts'
import type { ClosedSite } from '../closures.ts'
import { presentSites } from '../sites.ts'
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, warning } from './check.ts'
import { concernsThisService, isUnreachableProvider } from './closed-paths.ts'

/** Ms after which a closed site is told: most open again within minutes. */
const LONG_MS = 15 * 60_000
/** Sites that are named. */
const MAX_NAMED = 3

const ADVICE =
  'Nothing needs to be done while mail to other sites leaves: the mail waits, and is tried again by itself. “Sites” on the page Installation lists them all.'

/** A warning at most: one site of many is always down. */
export function closedSitesCheck(op: Operation): PlannedCheck {
  return {
    id: 'sites',
    title: 'Closed sites',
    async run() {
      const sites = [...(await presentSites(op)).values()]
      const closed = sites.flatMap((site) => closureOf(site, op.now()) ?? [])
      if (closed.length === 0) return ok('No site has been busy or down for a quarter of an hour.')
      const longest = closed.toSorted((a, b) => a.since - b.since).slice(0, MAX_NAMED)
      const count = closed.length === 1 ? 'One site takes' : `${closed.length} sites take`
      const named = longest.map(({ name, since, reason }) => {
        return `${name} since ${utcTime(since)}: ${reason.replace(/\.$/, '')}.`
      })
      const first = closed.length > longest.length ? ' Those closed for longest:' : ''
      const found = `${count} no mail, or hardly any, at present.${first} ${named.join(' ')}`
      return { ...warning(found, ADVICE), code: 'bin/postroad site list' }
    },
  }
}

/** Sites that refuse this service, and providers that cannot be reached, have checks of their own. */
function closureOf(site: SiteState, now: number): ClosedSite | null {
  if (isUnreachableProvider(site)) return null
  const closed = closuresAt(site)
    .filter((each) => !concernsThisService(each) && now - each.since >= LONG_MS)
    .toSorted((a, b) => a.since - b.since)[0]
  return closed === undefined ? null : { ...closed, name: site.name }
}
