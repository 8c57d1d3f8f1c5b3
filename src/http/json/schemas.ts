/** Parts of schemas shared by the management routes. */

import type { TSchema } from 'typebox'
import { object } from '../object-schema.ts'

/** Clients send null for values that their users left out. */
export function orNull<const Schema extends TSchema>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}

/** The answer to a change, e.g. `{ object: 'domain', id }`. */
export function changedSchema<const Noun extends string>(noun: Noun) {
  return object({ object: { const: noun }, id: { type: 'string' } })
}

/** The answer to a removal. */
export function deletedSchema<const Noun extends string>(noun: Noun) {
  return object({ object: { const: noun }, id: { type: 'string' }, deleted: { const: true } })
}
