import type { Static } from 'typebox'
import { SPANS } from '../../../events/spans.ts'
import { BOUNCE_CATEGORIES } from '../../../mail/reply/category.ts'
import { DOMAIN_NAME, LINE } from '../../bounds.ts'
import { routes } from './route.ts'
import {
  DOMAIN_OR_NULL,
  DONE,
  INTEGER,
  NAMED,
  object,
  orNull,
  PAUSE,
  RETRIED,
  SITE_NAME,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from './shapes.ts'

const SPAN = { enum: SPANS } as const
export type OverviewSpan = Static<typeof SPAN>

/** Recipients by type of event; `accepted`: by accepted emails. An absent type is 0. */
const VOLUME = { type: 'object', additionalProperties: INTEGER } as const

/** Points at equal intervals. */
const SERIES = {
  /** Unix ms: start of the first point, end of the last, and length of each. */
  since: INTEGER,
  until: INTEGER,
  step: INTEGER,
  /** Unix ms when the company was created, or the first one; there is nothing before. */
  began: INTEGER,
} as const

const VOLUME_SERIES = object({
  ...SERIES,
  series: {
    type: 'object',
    additionalProperties: { type: 'array', items: INTEGER },
  },
  totals: VOLUME,
})
export type VolumeSeriesJson = Static<typeof VOLUME_SERIES>

const MS = { type: 'array', items: orNull({ type: 'number' }) } as const

const LATENCY_SERIES = object({
  ...SERIES,
  p50: MS,
  p90: MS,
  p99: MS,
  /** Over the whole span; null: nothing was delivered. */
  whole: orNull(object({ p50: { type: 'number' }, p90: { type: 'number' }, p99: { type: 'number' } })),
})
export type LatencySeriesJson = Static<typeof LATENCY_SERIES>

const VOLUMES = {
  type: 'array',
  items: object({ key: TEXT, name: TEXT, volume: VOLUME }),
} as const
export type VolumesJson = Static<typeof VOLUMES>

/** Null: too many values to add up in one answer. */
const VOLUMES_OR_NULL = orNull(VOLUMES)

const VOLUMES_SHOWN = object({ volumes: VOLUMES_OR_NULL })

const DESTINATIONS = object({ busiest: VOLUMES_OR_NULL, failing: VOLUMES_OR_NULL })

/** Why mail was refused or late; `provider`: '' for any but the large ones. */
const REASONS = object({
  reasons: orNull({
    type: 'array',
    items: object({
      category: { enum: BOUNCE_CATEGORIES },
      provider: TEXT,
      failures: INTEGER,
      delays: INTEGER,
    }),
  }),
})

const BACKLOG = object({
  waiting: INTEGER,
  sending: INTEGER,
  quarantined: INTEGER,
  oldest: orNull(object({ id: TEXT, at: TIME })),
})
export type BacklogJson = Static<typeof BACKLOG>

/** Open problems, as alerts tell them. `page`: the address of the console that shows it. */
const ALERTS = object({
  alerts: {
    type: 'array',
    items: object({ id: TEXT, title: TEXT, found: TEXT, advice: TEXT_OR_NULL, since: TIME, page: TEXT }),
  },
})

/** Recipient domain; null: all of them. */
const RETRY_WAITING = object({ domain: DOMAIN_OR_NULL })

const INSTALLATION = object({
  nodes: {
    type: 'array',
    items: object({ name: TEXT, roles: { type: 'array', items: TEXT }, since: TIME }),
  },
  pauses: {
    type: 'array',
    items: object({
      company: orNull(NAMED),
      domain: TEXT_OR_NULL,
      site: TEXT_OR_NULL,
      ...PAUSE,
    }),
  },
  storage: object({
    engine: { enum: ['sqlite', 'postgres'] },
    /** Octets. */
    database: { type: 'number' },
    free: orNull({ type: 'number' }),
  }),
})
export type Installation = Static<typeof INSTALLATION>

/** Null: no restriction. */
const PAUSE_SCOPE = object({ company: DOMAIN_OR_NULL, domain: DOMAIN_OR_NULL }, { site: SITE_NAME })
const NEW_PAUSE = object(
  { company: DOMAIN_OR_NULL, domain: DOMAIN_OR_NULL },
  {
    site: SITE_NAME,
    /** Ms after which it ends by itself. */
    lasts: { type: 'integer', minimum: 60_000, maximum: 366 * 86_400_000 },
    reason: LINE,
  },
)

const OF_SPAN = object({ span: SPAN })
const OF_VOLUME = object({ span: SPAN }, { domain: DOMAIN_NAME, to: DOMAIN_NAME })

export const OVERVIEW_ROUTES = routes('company', {
  'GET /companies/:company/overview/volume': {
    operation: 'overview',
    query: OF_VOLUME,
    answer: VOLUME_SERIES,
  },
  'GET /companies/:company/overview/latency': {
    operation: 'overview',
    query: OF_SPAN,
    answer: LATENCY_SERIES,
  },
  'GET /companies/:company/overview/destinations': {
    operation: 'overview',
    query: object({ span: SPAN }, { limit: { type: 'integer', minimum: 1, maximum: 200, default: 10 } }),
    answer: DESTINATIONS,
  },
  'GET /companies/:company/overview/domains': {
    operation: 'overview',
    query: OF_SPAN,
    answer: VOLUMES_SHOWN,
  },
  'GET /companies/:company/overview/reasons': {
    operation: 'overview',
    query: OF_SPAN,
    answer: REASONS,
  },
  'GET /companies/:company/overview/alerts': { operation: 'overview', answer: ALERTS },
  'GET /companies/:company/overview/backlog': { operation: 'overview', answer: BACKLOG },
  'POST /companies/:company/overview/backlog/retry': {
    operation: 'backlog_retry',
    body: RETRY_WAITING,
    answer: RETRIED,
  },
})

export const INSTALLATION_ROUTES = routes('operator', {
  'GET /installation': { operation: 'installation_read', answer: INSTALLATION },
  'GET /installation/companies': { operation: 'installation_read', query: OF_SPAN, answer: VOLUMES_SHOWN },
  'POST /installation/companies': {
    operation: 'company_add',
    body: object({ name: { type: 'string', maxLength: 1_000 } }),
    answer: NAMED,
  },
  'POST /installation/pauses': { operation: 'pause', body: NEW_PAUSE, answer: DONE },
  'POST /installation/pauses/end': { operation: 'pause', body: PAUSE_SCOPE, answer: DONE },
})
