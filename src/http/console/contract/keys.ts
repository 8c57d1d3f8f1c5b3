/** API keys. */
import { routes } from './route.ts'
import { ID, NAMED, object, orNull, TEXT, TIME, TIME_OR_NULL } from './shapes.ts'

const SCOPE = { enum: ['sending', 'reading', 'management'] } as const

const KEY_FIELDS = {
  id: TEXT,
  name: TEXT,
  company: NAMED,
  scopes: { type: 'array', items: SCOPE },
  domain: { ...orNull(NAMED), description: 'The only one it may send from.' },
  networks: { type: 'array', items: TEXT, description: 'From where it may be used; empty: from anywhere.' },
  tokenStart: {
    ...orNull(TEXT),
    description: 'The first characters of its token, by which people recognize it.',
  },
  createdAt: TIME,
  expiresAt: TIME_OR_NULL,
  revokedAt: TIME_OR_NULL,
} as const

export const KEY = object(KEY_FIELDS)

export const LISTED_KEY = object({
  ...KEY_FIELDS,
  lastUse: orNull(object({ at: TIME, address: TEXT, client: orNull(TEXT) })),
})

const KEYS = object({
  keys: { type: 'array', items: LISTED_KEY, description: 'Newest first.' },
  total: { type: 'integer', description: 'As many fit, listed or not.' },
})

const KEYS_QUERY = object(
  {},
  {
    search: { type: 'string', maxLength: 200, description: 'A part of the name.' },
    ended: {
      type: 'boolean',
      description: 'Those that were revoked or have expired, instead of the others.',
    },
  },
)

const NEW_KEY = object(
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

const MADE_KEY = object({ key: KEY, token: { type: 'string', description: 'Seen this once.' } })

const ROTATED_KEY = object({ key: KEY, token: { type: 'string', description: 'Seen this once.' }, old: KEY })

const OLD_KEY_END = object({ endsAt: { type: 'string', maxLength: 40 } })

const KEY_NAME = object({ name: { type: 'string', maxLength: 1_000 } })

export const KEY_ROUTES = routes('company', {
  'GET /companies/:company/keys': { operation: 'key_list', query: KEYS_QUERY, answer: KEYS },
  'POST /companies/:company/keys': { operation: 'key_create', body: NEW_KEY, status: 201, answer: MADE_KEY },
  'PATCH /companies/:company/keys/:key': { operation: 'key_rename', body: KEY_NAME, answer: KEY },
  'POST /companies/:company/keys/:key/rotation': {
    operation: 'key_rotate',
    body: OLD_KEY_END,
    status: 201,
    answer: ROTATED_KEY,
  },
  'DELETE /companies/:company/keys/:key': { operation: 'key_revoke', answer: KEY },
})
