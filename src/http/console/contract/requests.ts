/** The log of API requests. */
import { routes } from './route.ts'
import {
  CURSORS,
  INTEGER,
  INTEGER_OR_NULL,
  NAMED,
  object,
  orNull,
  PAGE_LIMIT,
  pageOf,
  TEXT,
  TEXT_OR_NULL,
  TIME,
} from './shapes.ts'

const API_REQUEST = object({
  id: TEXT,
  at: TIME,
  company: { ...orNull(NAMED), description: 'Null: the key is unknown.' },
  key: orNull(NAMED),
  method: TEXT,
  endpoint: TEXT,
  status: INTEGER,
  refused: { type: 'boolean' },
  error: TEXT_OR_NULL,
  address: TEXT,
  userAgent: TEXT_OR_NULL,
  duration: { ...INTEGER_OR_NULL, description: 'In ms.' },
  request: { ...TEXT_OR_NULL, description: 'JSON, without secrets and content.' },
  response: TEXT_OR_NULL,
})

const REQUESTS_QUERY = object(
  {},
  {
    ...CURSORS,
    ...PAGE_LIMIT,
    refused: { type: 'boolean' },
    status: { type: 'integer', minimum: 100, maximum: 999 },
    key: { type: 'string', minLength: 1, maxLength: 300, description: 'Name or id.' },
    endpoint: { type: 'string', maxLength: 300, description: 'A path, or its beginning.' },
    error: { type: 'string', maxLength: 100 },
    from: { type: 'string', maxLength: 40, description: 'Not before this time.' },
    to: { type: 'string', maxLength: 40, description: 'Before this time.' },
  },
)

export const REQUEST_ROUTES = routes('company', {
  'GET /companies/:company/requests': {
    operation: 'request_list',
    query: REQUESTS_QUERY,
    answer: pageOf(API_REQUEST),
  },
  'GET /companies/:company/requests/:id': { operation: 'request_read', answer: API_REQUEST },
})
