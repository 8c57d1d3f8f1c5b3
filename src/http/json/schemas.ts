/** Parts of schemas shared by the management routes. */

import type { TSchema } from 'typebox'

/** Clients send null for values that their users left out. */
export function orNull<const Schema extends TSchema>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}

/** The answer to a change, e.g. `{ object: 'domain', id }`. */
export function changedSchema<const Name extends string>(object: Name) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['object', 'id'],
    properties: { object: { const: object }, id: { type: 'string' } },
  } as const
}

/** The answer to a removal. */
export function deletedSchema<const Name extends string>(object: Name) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['object', 'id', 'deleted'],
    properties: { object: { const: object }, id: { type: 'string' }, deleted: { const: true } },
  } as const
}
