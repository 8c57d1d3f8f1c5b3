/** Lists with this dialect's paging: newest first, from an id that is not part of the page. */

import type { Static, TSchema } from 'typebox'
import { invalidField } from '../../intake/refusal.ts'
import { ID } from '../bounds.ts'

/** The query parameters of a list. */
export const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  after: { ...ID, description: 'The page begins after this id.' },
  before: { ...ID, description: 'The page ends before this id.' },
} as const

type Page = Static<{ type: 'object'; required: ['limit']; properties: typeof PAGE }>

/** Throws a Refusal for a page with both `after` and `before`. */
export function requireOneDirection({ after, before }: { after?: unknown; before?: unknown }): void {
  if (after === undefined || before === undefined) return
  throw invalidField('before', 'it cannot be given together with `after`')
}

/** The answer of a list. */
export function listSchema<const Item extends TSchema>(items: Item) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['object', 'has_more', 'data'],
    properties: {
      object: { const: 'list' },
      has_more: { type: 'boolean' },
      data: { type: 'array', items },
    },
  } as const
}

/**
 * One page of the result of `find`: at most `limit` items, those nearest to the id. Throws a Refusal for a page with
 * both `after` and `before`.
 */
export async function listPage<Item>(
  { limit, after, before }: Page,
  find: (page: Page) => Promise<Item[]>,
): Promise<{ object: 'list'; has_more: boolean; data: Item[] }> {
  requireOneDirection({ after, before })
  // Reads one item more to learn whether another page follows.
  const found = await find({
    limit: limit + 1,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  })
  const data = found.slice(0, limit)
  return {
    object: 'list',
    has_more: found.length > limit,
    data: before === undefined ? data : data.reverse(),
  }
}

/** The query of a list that is answered whole unless the request sets a limit, as its clients expect. */
export const WHOLE_OR_PAGE = {
  type: 'object',
  properties: { ...PAGE, limit: { type: 'integer', minimum: 1, maximum: 100 } },
} as const

/** One page of a list in memory. `items`: newest first. Throws a Refusal for an unknown id. */
export function pageOf<Item extends { id: string }>(
  items: readonly Item[],
  { limit = items.length, after, before }: Static<typeof WHOLE_OR_PAGE>,
): { object: 'list'; has_more: boolean; data: Item[] } {
  requireOneDirection({ after, before })
  const place = (field: string, id: string) => {
    const index = items.findIndex((item) => item.id === id)
    if (index === -1) throw invalidField(field, 'this id is not in the list')
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
