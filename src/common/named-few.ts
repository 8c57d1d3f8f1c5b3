/** Names that are named in a sentence, at most. */
const MAX_NAMED = 5

/** At least one name: `a, b or c`, of many `a, b, c, d, e or 7 more`. */
export function namedFew(names: readonly string[], last: 'and' | 'or'): string {
  const named = names.slice(0, MAX_NAMED)
  const more = names.length - named.length
  const list = more === 0 ? named : [...named, `${more} more`]
  return list.length === 1 ? list[0]! : `${list.slice(0, -1).join(', ')} ${last} ${list.at(-1)}`
}
