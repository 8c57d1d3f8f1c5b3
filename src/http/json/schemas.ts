/** Parts of schemas and lists that the management routes share. */
import type { Static, TSchema } from 'typebox'
import { invalidField } from '../../intake/refusal.ts'
import { PAGE } from './list.ts'

/** Clients send null for what their users left out. */
export function orNull<const Schema extends TSchema>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}

/** The id in a path. */
export const BY_ID = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } as const

/** The query of a list that is given as a whole where no limit is: so its clients know it. */
export const WHOLE_OR_PAGE = {
  type: 'object',
  additionalProperties: false,
  properties: { ...PAGE, limit: { type: 'integer', minimum: 1, maximum: 100 } },
} as const

/** One page of what is in memory. `items`: the first is the newest. Throws a Refusal for an id that is not there. */
export function pageOf<Item extends { id: string }>(
  items: readonly Item[],
  { limit = items.length, after, before }: Static<typeof WHOLE_OR_PAGE>,
): { object: 'list'; has_more: boolean; data: Item[] } {
  if (after !== undefined && before !== undefined) {
    throw invalidField('before', 'it cannot be given together with `after`')
  }
  const place = (field: string, id: string) => {
    const index = items.findIndex((item) => item.id === id)
    if (index === -1) throw invalidField(field, 'there is nothing with this id in the list')
    return index
  }
  if (before !== undefined) {
    const end = place('before', before)
    const begin = Math.max(0, end - limit)
    return { object: 'list', has_more: begin > 0, data: items.slice(begin, end) }
  }
  const begin = after === undefined ? 0 : place('after', after) + 1
  const end = begin + limit
  return { object: 'list', has_more: end < items.length, data: items.slice(begin, end) }
}

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
