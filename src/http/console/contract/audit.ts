/** Changes, with their actor and time. */
import { AUDIT_TOPICS } from '../../../people/person.ts'
import { routes } from './route.ts'
import { INTEGER_OR_NULL, NAMED, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

export const AUDIT_ENTRY = object({
  number: { type: 'integer' },
  at: TIME,
  company: { ...orNull(NAMED), description: 'Null: it concerns the installation.' },
  actor: object({
    kind: { enum: ['person', 'key', 'command-line', 'service'] },
    id: TEXT_OR_NULL,
    name: TEXT,
  }),
  topic: { enum: [...AUDIT_TOPICS] },
  action: { type: 'string', description: 'The verb, e.g. createKey.' },
  target: TEXT,
  detail: { type: 'object', additionalProperties: true },
  done: {
    type: 'boolean',
    description: 'False: the operation was started, but its result was not recorded.',
  },
})

const AUDIT = object({
  entries: { type: 'array', items: AUDIT_ENTRY, description: 'The newest first.' },
  next: {
    ...INTEGER_OR_NULL,
    description: 'The list goes on before this one; null: it ends here.',
  },
})

/** Filters of the list. */
const WANTED = {
  by: { type: 'string', maxLength: 300, description: 'The name of the actor at that time.' },
  action: { type: 'string', maxLength: 100 },
  topic: { enum: [...AUDIT_TOPICS] },
  from: { type: 'string', maxLength: 40, description: 'Not before this time.' },
  to: { type: 'string', maxLength: 40, description: 'Before this time.' },
} as const

const AUDIT_QUERY = object(
  {},
  {
    ...WANTED,
    before: { type: 'integer', minimum: 1, description: 'The number of an entry.' },
    after: { type: 'integer', minimum: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
)

const AUDIT_EXPORT_QUERY = object({}, WANTED)

export const AUDIT_ROUTES = routes('company', {
  'GET /companies/:company/audit': { operation: 'audit_list', query: AUDIT_QUERY, answer: AUDIT },
  'GET /companies/:company/audit/export': {
    operation: 'audit_export',
    query: AUDIT_EXPORT_QUERY,
    answer: 'document',
  },
})
