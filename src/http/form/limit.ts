/** Clients that follow page after page add one each time. */
const MOST_REPEATED = 2_000
/** Entries of a page. Some clients repeat theirs behind that of a link they follow. */
const ENTRIES = { type: 'integer', minimum: 1, maximum: 1_000 } as const

export const LIMIT = {
  anyOf: [ENTRIES, { type: 'array', minItems: 1, maxItems: MOST_REPEATED, items: ENTRIES }],
  default: 100,
} as const

export function lastOf(limit: number | number[]): number {
  return typeof limit === 'number' ? limit : limit.at(-1)!
}
