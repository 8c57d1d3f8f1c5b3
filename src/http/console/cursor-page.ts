/** Pages in both directions, each addressed by the position of its beginning or end. */

export interface CursorPage<Item> {
  data: Item[]
  /** `before` for the previous page, and `after` for the next one; null: there is none. */
  previous: string | null
  next: string | null
}

/**
 * Makes a page of `limit` items from a result that was read with one item more. Items with the same cursor stay on one
 * page: there are fewer of them than a page holds.
 */
export function cursorPage<Item>(
  found: readonly Item[],
  { after, before, limit }: { after?: string | undefined; before?: string | undefined; limit: number },
  cursorOf: (item: Item) => string,
): CursorPage<Item> {
  const backwards = before !== undefined
  const more = found.length > limit
  const beyond = found.at(backwards ? 0 : -1)
  const data = more ? found.filter((item) => cursorOf(item) !== cursorOf(beyond!)) : [...found]
  const [first, last] = [data[0], data.at(-1)]
  const isBehind = backwards ? more : after !== undefined
  return {
    data,
    previous: first !== undefined && isBehind ? cursorOf(first) : null,
    next: last !== undefined && (backwards || more) ? cursorOf(last) : null,
  }
}
