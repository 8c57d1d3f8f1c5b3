/** API keys. */
import { NAMED, TEXT, TIME, TIME_OR_NULL } from './shapes.ts'

const SCOPE = { enum: ['sending', 'reading', 'management'] } as const

export const KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'company', 'scopes', 'domain', 'networks', 'createdAt', 'expiresAt', 'revokedAt'],
  properties: {
    id: TEXT,
    name: TEXT,
    company: NAMED,
    scopes: { type: 'array', items: SCOPE },
    domain: { anyOf: [NAMED, { type: 'null' }], description: 'The only one it may send from.' },
    networks: { type: 'array', items: TEXT, description: 'From where it may be used; empty: from anywhere.' },
    createdAt: TIME,
    expiresAt: TIME_OR_NULL,
    revokedAt: TIME_OR_NULL,
  },
} as const

export const KEYS = {
  type: 'object',
  additionalProperties: false,
  required: ['keys', 'total'],
  properties: {
    keys: { type: 'array', items: KEY, description: 'Newest first.' },
    total: { type: 'integer', description: 'As many fit, listed or not.' },
  },
} as const

export const FIND_KEYS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    search: { type: 'string', maxLength: 200, description: 'A part of the name.' },
    ended: {
      type: 'boolean',
      description: 'Those that were revoked or have expired, instead of the others.',
    },
  },
} as const

export const NEW_KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scopes'],
  properties: {
    name: { type: 'string', maxLength: 1_000 },
    scopes: { type: 'array', items: SCOPE, maxItems: 10 },
    domain: { type: 'string', maxLength: 100, description: 'The id of the only one it may send from.' },
    networks: { type: 'array', items: { type: 'string', maxLength: 100 }, maxItems: 1_000 },
    expiresAt: { type: 'string', maxLength: 40 },
  },
} as const

export const MADE_KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'token'],
  properties: { key: KEY, token: { type: 'string', description: 'Seen this once.' } },
} as const

export const KEY_NAME = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 1_000 } },
} as const

/** Parameters of a path. */
export const OF_KEY = {
  type: 'object',
  required: ['company', 'key'],
  properties: { company: { type: 'string', maxLength: 100 }, key: { type: 'string', maxLength: 100 } },
} as const
