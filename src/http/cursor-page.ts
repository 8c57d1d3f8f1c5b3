/** Pages of lists. The cursor of an item names the page that begins after it, or ends before it. */

type Cursor = string | number

export interface CursorRequest<Of extends Cursor = string> {
  limit: number
  after?: Of | undefined
  before?: Of | undefined
}

export interface CursorPage<Item, Of extends Cursor = string> {
  data: Item[]
  /** Whether items follow in the direction of reading. */
  more: boolean
  /** `before` for the previous page, and `after` for the next one; null: there is none. */
  previous: Of | null
  next: Of | null
}

/** Reads the items next to a cursor, in the order of the list. */
export type PageReader<Item, Of extends Cursor = string> = (
  page: CursorRequest<Of>,
) => Promise<readonly Item[]> | readonly Item[]

/**
 * Reads a page and one more item, which tells whether others follow. Items with the same cursor stay on one page: there
 * are always fewer of them than a page holds.
 */
export async function cursorPage<Item, Of extends Cursor = string>(
  { limit, after, before }: CursorRequest<Of>,
  read: PageReader<Item, Of>,
  cursorOf: (item: Item) => Of,
): Promise<CursorPage<Item, Of>> {
  const found = await read({ limit: limit + 1, after, before })
  const backwards = before !== undefined
  const more = found.length > limit
  const beyond = found.at(backwards ? 0 : -1)
  const data = more ? found.filter((item) => cursorOf(item) !== cursorOf(beyond!)) : [...found]
  const [first, last] = [data[0], data.at(-1)]
  const isBehind = backwards ? more : after !== undefined
  return {
    data,
    more,
    previous: first !== undefined && isBehind ? cursorOf(first) : null,
    next: last !== undefined && (backwards || more) ? cursorOf(last) : null,
  }
}

/** The reader of a list in memory. `unknown`: the error for a cursor of no item; absent: the list begins anew. */
export function listPageReader<Item>(
  items: readonly Item[],
  cursorOf: (item: Item) => string,
  unknown?: (field: 'after' | 'before') => Error,
): PageReader<Item, string> {
  const place = (field: 'after' | 'before', cursor: string) => {
    const index = items.findIndex((item) => cursorOf(item) === cursor)
    if (index < 0 && unknown) throw unknown(field)
    return index
  }
  return ({ limit, after, before }) => {
    if (before !== undefined) {
      const end = place('before', before)
      return items.slice(Math.max(0, end - limit), end)
    }
    const begin = after === undefined ? 0 : place('after', after) + 1
    return items.slice(begin, begin + limit)
  }
}
