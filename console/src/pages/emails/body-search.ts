/** A search for words of any place as a search in texts alone. Pure. */

/** A filter with its value, or a bare word or phrase, as the server parses them (`email-query.ts`). */
const TERM = /([a-z]+:)?("[^"]*"|\S+)/gi

/** The search with its bare words looked for in the text: `to:ada@example.com 4711` as `to:ada@example.com body:4711`. */
export function asBodySearch(q: string): string {
  return Array.from(q.matchAll(TERM), ([term, filter, value]) => {
    const isWord = filter === undefined && !(value!.includes('@') && !value!.startsWith('"'))
    return isWord ? `body:${value}` : term
  }).join(' ')
}
