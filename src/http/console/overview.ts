/** Figures of mail: of a company or, for operators, of all together. */
import { showBacklog } from '../../operate/backlog.ts'
import { openAlerts } from '../../operate/open-alerts.ts'
import {
  showDestinations,
  showLatency,
  showReasons,
  showVolume,
  showVolumeByDomain,
  type VolumeOf,
} from '../../operate/overview.ts'
import { retry } from '../../operate/queue.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { Operation } from '../../operate/verb.ts'
import type { OVERVIEW_ROUTES } from './contract/overview.ts'
import type { Handlers } from './handlers.ts'

/** Volumes whose keys are also their names. */
function withNames(volumes: VolumeOf[] | null) {
  return volumes?.map(({ key, volume }) => ({ key, name: key, volume })) ?? null
}

/** Unix ms. `company`: null: all. */
function beganAt({ accounts }: Operation, company: string | null): number {
  const own = accounts.companies.filter(({ id }) => company === null || id === company)
  return own.reduce((first, { createdAt }) => Math.min(first, createdAt), Date.now())
}

export const overviewHandlers: Handlers<typeof OVERVIEW_ROUTES> = {
  'GET /companies/:company/overview/volume': async ({ op, company, query: { span, domain, to } }) => {
    const of = { company: company ?? undefined, domain, to }
    const { series, ...rest } = await showVolume(op, { span, ...of })
    const shown = Object.fromEntries(Object.entries(series).map(([type, numbers]) => [type, [...numbers]]))
    return { ...rest, began: beganAt(op, company), series: shown }
  },

  'GET /companies/:company/overview/latency': async ({ op, company, query: { span } }) => {
    const { p50, p90, p99, ...series } = await showLatency(op, { span, company: company ?? undefined })
    return { ...series, began: beganAt(op, company), p50: [...p50], p90: [...p90], p99: [...p99] }
  },

  'GET /companies/:company/overview/destinations': async ({ op, company, query: { span, limit } }) => {
    const { busiest, failing } = await showDestinations(op, { span, limit, company: company ?? undefined })
    return { busiest: withNames(busiest), failing: withNames(failing) }
  },

  'GET /companies/:company/overview/domains': async ({ op, company, query: { span } }) => {
    const { volumes } = await showVolumeByDomain(op, { span, company: company ?? undefined })
    const nameOf = (id: string) => op.accounts.domains.find((domain) => domain.id === id)?.name ?? id
    const shown = volumes?.map(({ key, volume }) => ({ key, name: nameOf(key), volume })) ?? null
    return { volumes: shown }
  },

  'GET /companies/:company/overview/reasons': async ({ op, company, query: { span } }) => {
    const { reasons } = await showReasons(op, { span, company: company ?? undefined })
    return { reasons }
  },

  'GET /companies/:company/overview/alerts': async ({ op, company }) => {
    const alerts = await openAlerts(op, { company: company ?? undefined })
    return { alerts: alerts.map(({ since, ...alert }) => ({ ...alert, since: isoTime(since) })) }
  },

  'GET /companies/:company/overview/backlog': async ({ op, company }) => {
    const { oldest, ...counts } = await showBacklog(op, { company: company ?? undefined })
    return { ...counts, oldest: oldest && { ...oldest, at: isoTime(oldest.at) } }
  },

  'POST /companies/:company/overview/backlog/retry': async ({ op, company, body: { domain } }) =>
    await retry(op, { company: company ?? undefined, domain: domain ?? undefined }),
}
