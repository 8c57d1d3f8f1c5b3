/** API keys. */
import { ID, NAMED, object, orNull, TEXT, TIME, TIME_OR_NULL } from './shapes.ts'

const SCOPE = { enum: ['sending', 'reading', 'management'] } as const

export const KEY = object({
  id: TEXT,
  name: TEXT,
  company: NAMED,
  scopes: { type: 'array', items: SCOPE },
  domain: { ...orNull(NAMED), description: 'The only one it may send from.' },
  networks: { type: 'array', items: TEXT, description: 'From where it may be used; empty: from anywhere.' },
  createdAt: TIME,
  expiresAt: TIME_OR_NULL,
  revokedAt: TIME_OR_NULL,
})

export const KEYS = object({
  keys: { type: 'array', items: KEY, description: 'Newest first.' },
  total: { type: 'integer', description: 'As many fit, listed or not.' },
})

export const KEYS_QUERY = object(
  {},
  {
    search: { type: 'string', maxLength: 200, description: 'A part of the name.' },
    ended: {
      type: 'boolean',
      description: 'Those that were revoked or have expired, instead of the others.',
    },
  },
)

export const NEW_KEY = object(
  {
    name: { type: 'string', maxLength: 1_000 },
    scopes: { type: 'array', items: SCOPE, maxItems: 10 },
  },
  {
    domain: { type: 'string', maxLength: 100, description: 'The id of the only one it may send from.' },
    networks: { type: 'array', items: ID, maxItems: 1_000 },
    expiresAt: { type: 'string', maxLength: 40 },
  },
)

export const MADE_KEY = object({ key: KEY, token: { type: 'string', description: 'Seen this once.' } })

export const KEY_NAME = object({ name: { type: 'string', maxLength: 1_000 } })

/** Path parameters. */
export const KEY_PARAMS = object({
  company: ID,
  key: ID,
})
