/** Lists with this dialect's paging: newest first. A page begins after an id, or ends before it. */

import type { Static, TSchema } from 'typebox'
import { invalidField } from '../../intake/refusal.ts'
import { ID } from '../bounds.ts'
import { type CursorRequest, cursorPage, listPageReader, type PageReader } from '../cursor-page.ts'
import { object } from '../object-schema.ts'

/** The query parameters of a list. */
export const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  after: { ...ID, description: 'The page begins after this id.' },
  before: { ...ID, description: 'The page ends before this id.' },
} as const

/** Throws a Refusal for a page with both `after` and `before`. */
export function requireOneDirection({ after, before }: { after?: unknown; before?: unknown }): void {
  if (after === undefined || before === undefined) return
  throw invalidField('before', 'it cannot be given together with `after`')
}

/** The answer of a list. */
export function listSchema<const Item extends TSchema>(items: Item) {
  return object({
    object: { const: 'list' },
    has_more: { type: 'boolean' },
    data: { type: 'array', items },
  })
}

interface ListJson<Item> {
  object: 'list'
  has_more: boolean
  data: Item[]
}

type ListItem = { id: string }
const idOf = ({ id }: ListItem) => id

/** One page of a list. Throws a Refusal for a page with both `after` and `before`. */
export async function listPage<Item extends ListItem>(
  query: CursorRequest,
  read: PageReader<Item>,
): Promise<ListJson<Item>> {
  requireOneDirection(query)
  const { data, more } = await cursorPage(query, read, idOf)
  return { object: 'list', has_more: more, data }
}

/** The query of a list that is complete unless the request sets a limit, as its clients expect. */
export const WHOLE_OR_PAGE = {
  type: 'object',
  properties: { ...PAGE, limit: { type: 'integer', minimum: 1, maximum: 100 } },
} as const

/** One page of a list in memory. `items`: newest first. Throws a Refusal for an unknown id. */
export async function wholeOrPage<Item extends ListItem>(
  items: readonly Item[],
  { limit = items.length, ...place }: Static<typeof WHOLE_OR_PAGE>,
): Promise<ListJson<Item>> {
  const unknown = (field: string) => invalidField(field, 'this id is not in the list')
  return await listPage({ limit, ...place }, listPageReader(items, idOf, unknown))
}
