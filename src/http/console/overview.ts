/** Figures of mail: of a company or, for operators, of all together. */

import { showBacklog } from '../../operate/backlog.ts'
import { companyName } from '../../operate/find.ts'
import {
  showDestinations,
  showLatency,
  showVolume,
  showVolumeByDomain,
  type VolumeOf,
} from '../../operate/overview.ts'
import { retry } from '../../operate/queue.ts'
import { isoTime } from '../../operate/shapes.ts'
import { DOMAIN_NAME } from '../bounds.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import {
  BACKLOG,
  DESTINATIONS,
  LATENCY_SERIES,
  RETRIED,
  RETRY_WAITING,
  SPAN,
  VOLUME_SERIES,
  VOLUMES_SHOWN,
} from './contract/overview.ts'
import { COMPANY_PARAMS } from './contract/shapes.ts'

const BASE = '/console/api/companies/:company/overview'

const OF_SPAN = {
  type: 'object',
  additionalProperties: false,
  required: ['span'],
  properties: { span: SPAN },
} as const

/** Volumes whose keys are also their names. */
function named(volumes: VolumeOf[] | null) {
  return volumes?.map(({ key, volume }) => ({ key, name: key, volume })) ?? null
}

const volume = endpoint({
  method: 'GET',
  url: `${BASE}/volume`,
  operation: 'console_overview',
  access: 'company',
  schema: {
    operationId: 'showVolume',
    summary: 'Get counts of events over time',
    params: COMPANY_PARAMS,
    querystring: { ...OF_SPAN, properties: { span: SPAN, domain: DOMAIN_NAME, to: DOMAIN_NAME } },
    response: { 200: VOLUME_SERIES },
  },
})(async ({ caller, query: { span, domain, to } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const of = { company: caller.company ?? undefined, domain, to }
  const { series, ...rest } = await showVolume(op, { span, ...of })
  const shown = Object.fromEntries(Object.entries(series).map(([type, numbers]) => [type, [...numbers]]))
  return { status: 200, body: { ...rest, series: shown } }
})

const latency = endpoint({
  method: 'GET',
  url: `${BASE}/latency`,
  operation: 'console_overview',
  access: 'company',
  schema: {
    operationId: 'showLatency',
    summary: 'Get delivery latency',
    params: COMPANY_PARAMS,
    querystring: OF_SPAN,
    response: { 200: LATENCY_SERIES },
  },
})(async ({ caller, query: { span } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { p50, p90, p99, ...series } = await showLatency(op, { span, company: caller.company ?? undefined })
  return { status: 200, body: { ...series, p50: [...p50], p90: [...p90], p99: [...p99] } }
})

const destinations = endpoint({
  method: 'GET',
  url: `${BASE}/destinations`,
  operation: 'console_overview',
  access: 'company',
  schema: {
    operationId: 'showDestinations',
    summary: 'List the recipient domains with the most mail and the most failures',
    params: COMPANY_PARAMS,
    querystring: OF_SPAN,
    response: { 200: DESTINATIONS },
  },
})(async ({ caller, query: { span } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { busiest, failing } = await showDestinations(op, { span, company: caller.company ?? undefined })
  return { status: 200, body: { busiest: named(busiest), failing: named(failing) } }
})

const domains = endpoint({
  method: 'GET',
  url: `${BASE}/domains`,
  operation: 'console_overview',
  access: 'company',
  schema: {
    operationId: 'showVolumeByDomain',
    summary: 'Get counts by sending domain of a company',
    params: COMPANY_PARAMS,
    querystring: OF_SPAN,
    response: { 200: VOLUMES_SHOWN },
  },
})(async ({ caller, query: { span } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { volumes } = await showVolumeByDomain(op, { span, company: caller.company ?? undefined })
  const nameOf = (id: string) => op.accounts.domains.find((domain) => domain.id === id)?.name ?? id
  const shown = volumes?.map(({ key, volume }) => ({ key, name: nameOf(key), volume })) ?? null
  return { status: 200, body: { volumes: shown } }
})

const backlog = endpoint({
  method: 'GET',
  url: `${BASE}/backlog`,
  operation: 'console_overview',
  access: 'company',
  schema: {
    operationId: 'showBacklog',
    summary: 'Get the waiting mail by destination',
    params: COMPANY_PARAMS,
    response: { 200: BACKLOG },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const found = await showBacklog(op, { company: caller.company ?? undefined })
  const { oldest, destinations, companies, ...counts } = found
  const timed = <Part extends { nextDueAt: number }>(part: Part) => ({
    ...part,
    nextDueAt: isoTime(part.nextDueAt),
  })
  const body = {
    ...counts,
    oldest: oldest && { ...oldest, at: isoTime(oldest.at) },
    destinations: destinations.map(timed),
    companies: companies.map(({ companyId, ...rest }) => ({
      ...timed(rest),
      company: { id: companyId, name: companyName(op, companyId) },
    })),
  }
  return { status: 200, body }
})

const retryWaiting = endpoint({
  method: 'POST',
  url: `${BASE}/backlog/retry`,
  operation: 'console_backlog_retry',
  access: 'company',
  schema: {
    operationId: 'retryWaiting',
    summary: 'Retry waiting mail now',
    params: COMPANY_PARAMS,
    body: RETRY_WAITING,
    response: { 200: RETRIED },
  },
})(async ({ caller, body: { domain } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const of = { company: caller.company ?? undefined, domain: domain ?? undefined }
  const { request: _, ...retried } = await retry(op, of)
  return { status: 200, body: retried }
})

export const overviewEndpoints: readonly Endpoint[] = [
  volume,
  latency,
  destinations,
  domains,
  backlog,
  retryWaiting,
]
