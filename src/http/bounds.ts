/**
 * What requests name, and where each of it ends: by the law of the field where there is one, and far above what clients
 * send. What a field means, and less than that it may hold, is for those who read it.
 */

/** Ids, and words such as `yes`, an event or the name of a column. */
export const ID = { type: 'string', maxLength: 100 } as const
export const WORD = ID
/** A date as in a mail header, ISO 8601 or Unix seconds. */
export const TIME_GIVEN = { type: 'string', maxLength: 100 } as const
/** RFC 1035, 2.3.4. */
export const DOMAIN_NAME = { type: 'string', maxLength: 255 } as const
/** RFC 5321, 4.5.3.1: 64 octets, `@` and 255. */
export const ADDRESS = { type: 'string', maxLength: 320 } as const
/** RFC 9110, 4.1, asks for 8,000 of everybody; whom we tell is asked at less. */
export const URL_GIVEN = { type: 'string', maxLength: 2_048 } as const
/** A name, a tag, a password, the login of a credential. */
export const LINE = { type: 'string', maxLength: 1_000 } as const
/** A description, a reason, an expression of a filter. */
export const PASSAGE = { type: 'string', maxLength: 10_000 } as const
/** Octets of a request line and all header fields together. */
export const MAX_HEAD = 16 * 1024
/** Part of a path: a name that is too long is the name of nothing, as any other that is not there. */
export const PATH_NAME = { type: 'string', maxLength: MAX_HEAD } as const
/** Where a page begins. */
export const PAGE_TOKEN = PATH_NAME

/** Of a list that is turned page by page: as many as every client and database can write. */
export const SKIP = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 } as const

/** One, or several: a field that is repeated. */
export function oneOrMore<const Item extends object, const Most extends number>(items: Item, most: Most) {
  return { anyOf: [items, { type: 'array', maxItems: most, items }] } as const
}
