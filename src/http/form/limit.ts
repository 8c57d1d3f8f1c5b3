/** Clients that follow page after page append one `limit` each time. */
const MOST_REPEATED = 2_000
/** Entries of a page. Some clients append their own `limit` to that of the link that they follow. */
const ENTRIES = { type: 'integer', minimum: 1, maximum: 1_000 } as const

export const LIMIT = {
  anyOf: [ENTRIES, { type: 'array', minItems: 1, maxItems: MOST_REPEATED, items: ENTRIES }],
  default: 100,
} as const

export function lastOf(limit: number | number[]): number {
  return typeof limit === 'number' ? limit : limit.at(-1)!
}
