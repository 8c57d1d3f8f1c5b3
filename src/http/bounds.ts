/**
 * Upper bounds that the schemas of requests share. A bound comes from the standard of its field if there is one;
 * otherwise it is far above real values. The reader of a field may allow less, with its own error.
 */

/** An id. A word is `yes`, the name of an event, or the name of a column. */
export const ID = { type: 'string', maxLength: 100 } as const
export const WORD = ID
/** A date as in a mail header, ISO 8601 or Unix seconds. */
export const TIME_INPUT = { type: 'string', maxLength: 100 } as const
/** RFC 1035, 2.3.4. */
export const DOMAIN_NAME = { type: 'string', maxLength: 255 } as const
/** RFC 5321, 4.5.3.1: 64 octets, `@` and 255. */
export const ADDRESS = { type: 'string', maxLength: 320 } as const
/** URLs of webhooks: clients send a few hundred characters. */
export const URL_INPUT = { type: 'string', maxLength: 2_048 } as const
/** A name, a tag, a password, the login of a credential. */
export const LINE = { type: 'string', maxLength: 1_000 } as const
/** A description, a reason, a filter expression. */
export const PASSAGE = { type: 'string', maxLength: 10_000 } as const
/** Octets of a request line and all header fields together. */
export const MAX_HEAD = 16 * 1024
/** A name in a path. Only the limit of the head bounds it, and a route answers that a longer name does not exist. */
export const PATH_NAME = { type: 'string', maxLength: MAX_HEAD } as const
/** A position at which a page begins. */
export const PAGE_TOKEN = PATH_NAME

/** The number of entries before a page, in the range of every client and database. */
export const SKIP = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 } as const

/** The schema of a field that may be repeated. */
export function oneOrMore<const Item extends object, const Most extends number>(items: Item, most: Most) {
  return { anyOf: [items, { type: 'array', maxItems: most, items }] } as const
}
