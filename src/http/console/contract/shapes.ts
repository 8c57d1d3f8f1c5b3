/** What contracts are made of: JSON Schema as it stands. */
export const TEXT = { type: 'string' } as const
export const TEXT_OR_NULL = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const
/** ISO 8601 in UTC. */
export const TIME = TEXT
export const TIME_OR_NULL = TEXT_OR_NULL
/** A thing that is named elsewhere. */
export const NAMED = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name'],
  properties: { id: TEXT, name: TEXT },
} as const

/** As many are listed at once: who seeks another one searches. */
export const MOST_LISTED = 100

/** Parameters of a path. */
export const OF_COMPANY = {
  type: 'object',
  required: ['company'],
  properties: { company: { type: 'string', maxLength: 100 } },
} as const
