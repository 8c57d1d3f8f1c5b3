/** Lists as this dialect pages them: newest first, from an id on that is not part of the page. */
import type { Static, TSchema } from 'typebox'
import { invalidField } from '../../intake/refusal.ts'

/** The query of a list. */
export const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  after: { type: 'string', description: 'The id behind which the page begins.' },
  before: { type: 'string', description: 'The id in front of which the page ends.' },
} as const

type Page = Static<{ type: 'object'; required: ['limit']; properties: typeof PAGE }>

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
 * One page of what `find` finds: at most `limit`, those nearest to the id first. Throws a Refusal for a page that has
 * no beginning and no end.
 */
export async function listPage<Item>(
  { limit, after, before }: Page,
  find: (page: Page) => Promise<Item[]>,
): Promise<{ object: 'list'; has_more: boolean; data: Item[] }> {
  if (after !== undefined && before !== undefined) {
    throw invalidField('before', 'it cannot be given together with `after`')
  }
  // One more tells whether there is more.
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
