/** Who changed what, and when. */
import { NAMED, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts'

export const AUDIT_ENTRY = {
  type: 'object',
  additionalProperties: false,
  required: ['number', 'at', 'company', 'actor', 'action', 'target', 'detail', 'done'],
  properties: {
    number: { type: 'integer' },
    at: TIME,
    company: { anyOf: [NAMED, { type: 'null' }], description: 'Null: it concerns the installation.' },
    actor: {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'id', 'name'],
      properties: {
        kind: { enum: ['person', 'key', 'command-line', 'service'] },
        id: TEXT_OR_NULL,
        name: TEXT,
      },
    },
    action: { type: 'string', description: 'The verb, e.g. createKey.' },
    target: TEXT,
    detail: { type: 'object', additionalProperties: true },
    done: { type: 'boolean', description: 'False: it was begun, and whether it was done is not known.' },
  },
} as const

export const AUDIT = {
  type: 'object',
  additionalProperties: false,
  required: ['entries', 'next'],
  properties: {
    entries: { type: 'array', items: AUDIT_ENTRY, description: 'The newest first.' },
    next: {
      anyOf: [{ type: 'integer' }, { type: 'null' }],
      description: 'The list goes on before this one; null: it ends here.',
    },
  },
} as const

export const AUDIT_PAGE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    before: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
} as const
