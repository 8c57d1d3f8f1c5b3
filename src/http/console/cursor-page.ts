/** Pages that are turned both ways, each named by the place where it begins or ends. */

export interface CursorPage<Item> {
  data: Item[]
  /** `before` of the page before, and `after` of the next one; null: there is none. */
  previous: string | null
  next: string | null
}

/**
 * The page of so many, out of what was found when one more was asked for. What has the same place stays together:
 * there are fewer of these than a page has.
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
