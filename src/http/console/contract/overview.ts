import type { Static } from 'typebox'
import { SPANS } from '../../../events/spans.ts'
import { NAMED, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

export const SPAN = { enum: SPANS } as const
export type Span = Static<typeof SPAN>

/** Recipients by type of event; `accepted`: of accepted emails. What is absent is 0. */
const VOLUME = { type: 'object', additionalProperties: { type: 'integer' } } as const

/** Points of equal length. */
const SERIES = {
  /** Unix ms of the first, the end of the last, and the length of each. */
  since: { type: 'integer' },
  until: { type: 'integer' },
  step: { type: 'integer' },
} as const

export const VOLUME_SERIES = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'until', 'step', 'series', 'totals'],
  properties: {
    ...SERIES,
    series: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'integer' } },
    },
    totals: VOLUME,
  },
} as const
export type VolumeSeries = Static<typeof VOLUME_SERIES>

const MS = { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } } as const

export const LATENCY_SERIES = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'until', 'step', 'p50', 'p90', 'p99', 'whole'],
  properties: {
    ...SERIES,
    ...{ p50: MS, p90: MS, p99: MS },
    /** Of all of the span; null: nothing was delivered. */
    whole: {
      anyOf: [
        {
          type: 'object',
          additionalProperties: false,
          required: ['p50', 'p90', 'p99'],
          properties: { p50: { type: 'number' }, p90: { type: 'number' }, p99: { type: 'number' } },
        },
        { type: 'null' },
      ],
    },
  },
} as const
export type LatencySeries = Static<typeof LATENCY_SERIES>

const VOLUMES = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['key', 'name', 'volume'],
    properties: { key: TEXT, name: TEXT, volume: VOLUME },
  },
} as const
export type Volumes = Static<typeof VOLUMES>

/** Null: there is more than is added up for one answer. */
const VOLUMES_OR_NULL = { anyOf: [VOLUMES, { type: 'null' }] } as const

export const VOLUMES_SHOWN = {
  type: 'object',
  additionalProperties: false,
  required: ['volumes'],
  properties: { volumes: VOLUMES_OR_NULL },
} as const

export const DESTINATIONS = {
  type: 'object',
  additionalProperties: false,
  required: ['busiest', 'failing'],
  properties: { busiest: VOLUMES_OR_NULL, failing: VOLUMES_OR_NULL },
} as const

export const BACKLOG = {
  type: 'object',
  additionalProperties: false,
  required: ['waiting', 'sending', 'quarantined', 'oldestAt', 'lanes'],
  properties: {
    waiting: { type: 'integer' },
    sending: { type: 'integer' },
    quarantined: { type: 'integer' },
    oldestAt: TIME_OR_NULL,
    lanes: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['company', 'domain', 'waiting', 'sending', 'nextDueAt', 'lastMessage', 'paused'],
        properties: {
          company: NAMED,
          domain: TEXT,
          waiting: { type: 'integer' },
          sending: { type: 'integer' },
          nextDueAt: TIME_OR_NULL,
          lastMessage: TEXT_OR_NULL,
          paused: { type: 'boolean' },
        },
      },
    },
  },
} as const
export type Backlog = Static<typeof BACKLOG>

export const INSTALLATION = {
  type: 'object',
  additionalProperties: false,
  required: ['nodes', 'pauses', 'storage'],
  properties: {
    nodes: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'roles', 'since'],
        properties: { name: TEXT, roles: { type: 'array', items: TEXT }, since: TIME },
      },
    },
    pauses: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['company', 'domain', 'since'],
        properties: {
          company: { anyOf: [NAMED, { type: 'null' }] },
          domain: TEXT_OR_NULL,
          since: TIME,
        },
      },
    },
    storage: {
      type: 'object',
      additionalProperties: false,
      required: ['engine', 'database', 'free'],
      properties: {
        engine: { enum: ['sqlite', 'postgres'] },
        /** Octets. */
        database: { type: 'number' },
        free: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      },
    },
  },
} as const
export type Installation = Static<typeof INSTALLATION>

/** Null: everything. */
export const PAUSE_SCOPE = {
  type: 'object',
  additionalProperties: false,
  required: ['company', 'domain'],
  properties: { company: TEXT_OR_NULL, domain: TEXT_OR_NULL },
} as const
