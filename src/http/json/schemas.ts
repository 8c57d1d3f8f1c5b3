/** Parts of schemas that the management routes share. */

import type { TSchema } from 'typebox'
import { PATH_NAME } from '../bounds.ts'

/** Clients send null for what their users left out. */
export function orNull<const Schema extends TSchema>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}

/** The id in a path. */
export const BY_ID = { type: 'object', required: ['id'], properties: { id: PATH_NAME } } as const

/** What says that something was changed, e.g. `{ object: 'domain', id }`. */
export function changedSchema<const Name extends string>(object: Name) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['object', 'id'],
    properties: { object: { const: object }, id: { type: 'string' } },
  } as const
}

/** What says that something was removed. */
export function deletedSchema<const Name extends string>(object: Name) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['object', 'id', 'deleted'],
    properties: { object: { const: object }, id: { type: 'string' }, deleted: { const: true } },
  } as const
}
