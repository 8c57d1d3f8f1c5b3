/** Pages that are turned both ways, each named by the place where it begins or ends. */

export interface Turned<Item> {
  data: Item[]
  /** `before` of the page before, and `after` of the next one; null: there is none. */
  previous: string | null
  next: string | null
}

/**
 * The page of so many, out of what was found when one more was asked for. What has the same place stays together:
 * there are fewer of these than a page has.
 */
export function placesOf<Item>(
  found: readonly Item[],
  { after, before, limit }: { after?: string | undefined; before?: string | undefined; limit: number },
  placeOf: (item: Item) => string,
): Turned<Item> {
  const backwards = before !== undefined
  const more = found.length > limit
  const beyond = found.at(backwards ? 0 : -1)
  const data = more ? found.filter((item) => placeOf(item) !== placeOf(beyond!)) : [...found]
  const [first, last] = [data[0], data.at(-1)]
  const isBehind = backwards ? more : after !== undefined
  return {
    data,
    previous: first !== undefined && isBehind ? placeOf(first) : null,
    next: last !== undefined && (backwards || more) ? placeOf(last) : null,
  }
}
