import { retry } from '../../operate/queue.ts'
import { showQueueBySite } from '../../operate/queue-sums.ts'
import { categoryOf } from '../../operate/reply-category.ts'
import { isoTime, pauseFacts } from '../../operate/shapes.ts'
import { listSites } from '../../operate/sites.ts'
import type { SITE_ROUTES } from './contract/sites.ts'
import type { Works } from './work.ts'

/** The most sites with waiting mail, and recipient domains of each, in one answer. */
const MOST_WAITING = 20
const MOST_DOMAINS = 5

export const siteWorks: Works<typeof SITE_ROUTES> = {
  'GET /installation/sites/waiting': async ({ op }) => {
    const sums = (await showQueueBySite(op, {})).filter(({ waiting, sending }) => waiting + sending > 0)
    const most = sums.toSorted((a, b) => b.waiting - a.waiting).slice(0, MOST_WAITING)
    return {
      sites: most.map(({ site, domains, waiting, sending, sessions, lastMessage, paused, ...sum }) => ({
        name: site.name,
        domain: site.domain,
        domains: domains.slice(0, MOST_DOMAINS),
        domainCount: domains.length,
        waiting,
        sending,
        sessions,
        oldestAt: isoTime(sum.oldestAt),
        nextDueAt: isoTime(sum.nextDueAt),
        lastMessage,
        category: categoryOf(lastMessage),
        paused,
        retriable: sum.retriable,
        pause: sum.coveredBy && pauseFacts(sum.coveredBy),
        pausedAlone: sum.pause !== null,
      })),
      count: sums.length,
    }
  },

  'GET /installation/sites': async ({ op }) => {
    const sites = await listSites(op, {})
    return {
      sites: sites.map(({ name, provider, hosts, source, sources, limits, closed, pause, ...site }) => ({
        name,
        provider,
        hosts,
        source,
        limits,
        lowered: site.lowered,
        used: site.used,
        lastMessageAt: isoTime(site.lastMessageAt),
        lastTrouble: site.lastTrouble && {
          at: isoTime(site.lastTrouble.at),
          reason: site.lastTrouble.reason,
          category: categoryOf(site.lastTrouble.reason),
        },
        closed: closed && {
          since: isoTime(closed.since),
          reason: closed.reason,
          category: categoryOf(closed.reason),
          nextTryAt: isoTime(closed.nextTryAt),
          company: closed.company,
          sendingDomain: closed.sendingDomain,
          recipientDomain: closed.recipientDomain,
          servers: closed.servers ?? null,
          list: closed.list,
        },
        warmUps: sources.flatMap(({ name, warmUp }) =>
          warmUp === undefined ? [] : [{ source: name, ...warmUp }],
        ),
        pause: pause && pauseFacts(pause),
      })),
    }
  },

  'POST /installation/sites/retry': async ({ op, body: { site } }) => await retry(op, { site }),
}
