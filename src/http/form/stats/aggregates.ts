/**
 * Figures by provider, device and country of recipients. A provider is a recipient domain, which is counted for each
 * sending domain. Devices and countries belong to opens and clicks, which are not tracked: these figures are empty.
 */

import type { SendingDomain } from '../../../accounts/account.ts'
import { Fault } from '../../../ingress/fault.ts'
import { TIME_INPUT, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { busiestOf } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'
import { COUNT, TEXT } from '../schemas.ts'
import type { Figures } from './figures.ts'
import { type PeriodQuery, readPeriod } from './period.ts'

/** The most providers in one answer with the most mail, and the most with the most failures. */
const MAX_PROVIDERS = 100
/** The time range unless the request sets one. */
const USUAL_DURATION = '30d'

const BY_NAME = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      accepted: COUNT,
      delivered: COUNT,
      failed: COUNT,
      clicked: COUNT,
      opened: COUNT,
      unique_clicked: COUNT,
      unique_opened: COUNT,
      unsubscribed: COUNT,
      complained: COUNT,
    },
  },
} as const

const PERIOD = {
  type: 'object',
  properties: {
    start: { ...TIME_INPUT, description: 'A date as in a mail header, or Unix seconds.' },
    end: TIME_INPUT,
    duration: { ...WORD, description: 'Default without `start`: 30d.' },
  },
} as const

const figuresOf = ({
  accepted = 0,
  delivered = 0,
  bounced = 0,
  failed = 0,
  suppressed = 0,
  ...others
}: Figures) => ({
  accepted,
  delivered,
  failed: bounced + failed + suppressed,
  opened: others.opened ?? 0,
  clicked: others.clicked ?? 0,
  // Opens and clicks are not tracked.
  unique_opened: 0,
  unique_clicked: 0,
  unsubscribed: others.unsubscribed ?? 0,
  complained: others.complained ?? 0,
})

async function providersOf(core: HttpCore, domain: SendingDomain, asked: PeriodQuery) {
  const hasBeginning = asked.start !== undefined || asked.duration !== undefined
  const period = readPeriod(hasBeginning ? asked : { ...asked, duration: USUAL_DURATION }, Date.now())
  const { since, until, size } = period
  const byName = await busiestOf(core, {
    companyId: domain.companyId,
    domainId: domain.id,
    dimension: 'recipient-domain',
    value: null,
    size,
    since,
    until,
    limit: MAX_PROVIDERS,
  })
  return Object.fromEntries([...byName].map(([name, sums]) => [name, figuresOf(sums)]))
}

const providers = route('GET /v3/:domain/aggregates/providers', {
  operation: 'form_aggregates',
  access: 'reading',
  operationId: 'formProviders',
  summary: 'Count the events of a domain by recipient domain',
  query: PERIOD,
  answer: { type: 'object', properties: { providers: BY_NAME } },
})(async ({ caller, params, query }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  return { providers: await providersOf(core, domain, query) }
})

/** Figures that only opens and clicks could have. */
const untracked = (kind: 'devices' | 'countries', operationId: string) =>
  route(`GET /v3/:domain/aggregates/${kind}`, {
    operation: 'form_aggregates',
    access: 'reading',
    operationId,
    summary: 'Always empty: opens and clicks are not tracked',
    answer: { type: 'object', properties: { [kind]: BY_NAME } },
  })(async ({ caller, params }, core) => {
    await ownDomain(core, caller, params.domain)
    return { [kind]: {} }
  })

/** The names of a domain's aggregates. */
const NAMES = { type: 'object', properties: { items: { type: 'array', items: TEXT } } } as const

interface AggregateRoute {
  kind: 'providers' | 'devices' | 'countries'
  operationId: string
  summary: string
  names(core: HttpCore, domain: SendingDomain): readonly string[] | Promise<readonly string[]>
}

const namesOf = ({ kind, operationId, summary, names }: AggregateRoute) =>
  route(`GET /v3/domains/:domain/tag/${kind}`, {
    operation: 'form_aggregates',
    access: 'reading',
    operationId,
    summary,
    answer: NAMES,
  })(async ({ caller, params }, core) => {
    const domain = await ownDomain(core, caller, params.domain)
    return { items: [...(await names(core, domain))] }
  })

/** The kinds of aggregates of a tag; the answer of the singular route uses the same word. */
export const TAG_AGGREGATES = ['provider', 'device', 'country'] as const
export type TagAggregate = (typeof TAG_AGGREGATES)[number]

/** The aggregates of a tag. Throws a Fault for `provider`: mail with a tag is not counted by recipient domain. */
export function aggregatesOfTag(by: TagAggregate): Record<string, never> {
  if (by !== 'provider') return {}
  throw new Fault({
    code: 'request_invalid',
    detail:
      'Mail with a tag is not counted by provider. Use GET /v3/{domain}/aggregates/providers for all mail of the domain',
  })
}

export const AGGREGATES = BY_NAME

export const aggregateRoutes: readonly Endpoint[] = [
  providers,
  untracked('devices', 'formDevices'),
  untracked('countries', 'formCountries'),
  namesOf({
    kind: 'providers',
    operationId: 'formProviderNames',
    summary: 'List the recipient domains with the most mail in the last 30 days',
    names: async (core, domain) => Object.keys(await providersOf(core, domain, {})),
  }),
  namesOf({
    kind: 'devices',
    operationId: 'formDeviceNames',
    summary: 'List the kinds of devices that mail can be opened on',
    names: () => ['desktop', 'mobile', 'tablet', 'unknown'],
  }),
  namesOf({
    kind: 'countries',
    operationId: 'formCountryNames',
    summary: 'Always empty: opens and clicks are not tracked',
    names: () => [],
  }),
]
