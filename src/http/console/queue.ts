import { companyName } from '../../operate/find.ts'
import { listQuarantined, releaseQuarantined } from '../../operate/quarantine.ts'
import {
  type LaneSum,
  showQueueByCompany,
  showQueueByDomain,
  showQueueBySite,
} from '../../operate/queue-sums.ts'
import { categoryOf } from '../../operate/reply-category.ts'
import { pauseFacts } from '../../operate/shapes/pause.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { Operation } from '../../operate/verb.ts'
import type { Pause } from '../../store/store.ts'
import { MAX_QUARANTINED, type QUEUE_ROUTES, SUMS_ON_PAGE } from './contract/queue.ts'
import type { Handlers } from './handlers.ts'

/** The most recipient domains that are named of a site. */
const MAX_DOMAINS = 5

export const queueHandlers: Handlers<typeof QUEUE_ROUTES> = {
  'GET /companies/:company/queue/domains': async ({ op, company, query: { page = 1 } }) => {
    const of = { company: company ?? undefined, waitingAlone: true, ...partOf(page) }
    const { sums, count, retriable } = await showQueueByDomain(op, of)
    return {
      sums: sums.map((sum) => ({ domain: sum.domain, ...sumFields(sum) })),
      ...ofAll(count),
      retriable,
    }
  },

  'GET /companies/:company/queue/quarantine': async ({ op, company }) => {
    const limit = MAX_QUARANTINED + 1
    const emails = await listQuarantined(op, { company: company ?? undefined, limit })
    return {
      emails: emails.slice(0, MAX_QUARANTINED).map(({ companyId, since, ...email }) => ({
        ...email,
        company: companyRef(op, companyId),
        since: isoTime(since),
      })),
      more: emails.length > MAX_QUARANTINED,
    }
  },

  'GET /installation/queue/companies': async ({ op, query: { page = 1 } }) => {
    const { sums, count } = await showQueueByCompany(op, { waitingAlone: true, ...partOf(page) })
    return {
      sums: sums.map((sum) => ({ company: companyRef(op, sum.companyId), ...sumFields(sum) })),
      ...ofAll(count),
    }
  },

  'GET /installation/queue/sites': async ({ op, query: { page = 1 } }) => {
    const sums = (await showQueueBySite(op, {})).filter(({ waiting, sending }) => waiting + sending > 0)
    const all = sums.toSorted((a, b) => b.waiting - a.waiting)
    const { from, limit } = partOf(page)
    return {
      sums: all.slice(from, from + limit).map(({ site, domains, sessions, ...sum }) => ({
        name: site.name,
        domain: site.domain,
        domains: domains.slice(0, MAX_DOMAINS),
        domainCount: domains.length,
        sessions,
        ...sumFields(sum),
      })),
      ...ofAll(all.length),
    }
  },

  'POST /installation/queue/release': async ({ op, body: { company } }) => {
    const { released } = await releaseQuarantined(op, { company: company ?? undefined })
    return { released }
  },
}

function partOf(page: number): { from: number; limit: number } {
  return { from: (page - 1) * SUMS_ON_PAGE, limit: SUMS_ON_PAGE }
}

function ofAll(count: number): { count: number; size: number } {
  return { count, size: SUMS_ON_PAGE }
}

function companyRef(op: Operation, id: string): { id: string; name: string } {
  return { id, name: companyName(op, id) }
}

function sumFields({ waiting, sending, oldestAt, nextDueAt, lastMessage, lastServer, ...sum }: LaneSum) {
  return {
    waiting,
    sending,
    oldestAt: isoTime(oldestAt),
    nextDueAt: isoTime(nextDueAt),
    lastMessage,
    lastServer,
    category: categoryOf(lastMessage),
    paused: sum.paused,
    pause: sum.pause && { ...pauseFacts(sum.pause), scope: scopeOf(sum.pause) },
    retriable: sum.retriable,
    pausedAlone: sum.pausedAlone,
  }
}

function scopeOf({ companyId: company, domain, site }: Pause) {
  return { company, domain, site: site?.name ?? null }
}
