import { retry } from '../../operate/queue.ts'
import { categoryOf } from '../../operate/reply-category.ts'
import { pauseFacts } from '../../operate/shapes/pause.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import { listSites } from '../../operate/sites.ts'
import type { SITE_ROUTES } from './contract/sites.ts'
import type { Handlers } from './handlers.ts'

export const siteHandlers: Handlers<typeof SITE_ROUTES> = {
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
