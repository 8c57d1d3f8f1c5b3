/** Parts of schemas shared by the management routes. */

import { object } from '../object-schema.ts'

/** The answer to a change, e.g. `{ object: 'domain', id }`. */
export function changedSchema<const Noun extends string>(noun: Noun) {
  return object({ object: { const: noun }, id: { type: 'string' } })
}

/** The answer to a removal. */
export function deletedSchema<const Noun extends string>(noun: Noun) {
  return object({ object: { const: noun }, id: { type: 'string' }, deleted: { const: true } })
}
