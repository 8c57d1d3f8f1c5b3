/** Who changed what, and when. */
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
  action: { type: 'string', description: 'The verb, e.g. createKey.' },
  target: TEXT,
  detail: { type: 'object', additionalProperties: true },
  done: { type: 'boolean', description: 'False: it was begun, and whether it was done is not known.' },
})

export const AUDIT = object({
  entries: { type: 'array', items: AUDIT_ENTRY, description: 'The newest first.' },
  next: {
    ...INTEGER_OR_NULL,
    description: 'The list goes on before this one; null: it ends here.',
  },
})

export const AUDIT_QUERY = object(
  {},
  {
    before: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
)
