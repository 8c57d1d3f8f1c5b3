/** Pages of a list in the order of its keys. The key before a page, or the key after it, names the page. */
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { HttpCore } from '../core.ts'
import { linkTo } from './link.ts'
import { TEXT } from './schemas.ts'

/** Clients that follow page after page append one `limit` each time. */
const MAX_REPEATED = 2_000
/** Entries of a page. Some clients append their own `limit` to that of the link that they follow. */
const ENTRIES = { type: 'integer', minimum: 1, maximum: 1_000 } as const
const LIMIT = {
  anyOf: [ENTRIES, { type: 'array', minItems: 1, maxItems: MAX_REPEATED, items: ENTRIES }],
  default: 100,
} as const

/** The names of the query parameters that differ between the lists. */
export interface LinkNames {
  /** The entry at which a page continues. */
  key: string
  /** The beginning of the keys. */
  prefix: string
  prefixDescription?: string
  /** The schema that bounds both values. */
  bound: object
}

export interface LinkedPage {
  limit: number
  /** Empty: all keys. */
  prefix: string
  /** The page ends at `before`, or at the end of the list. */
  backwards: boolean
  after?: string
  before?: string
}

export function linkedQuery({ key, prefix, prefixDescription: description, bound }: LinkNames): TSchema {
  const properties = {
    limit: LIMIT,
    page: { enum: ['', 'first', 'last', 'next', 'previous'], default: '' },
    [key]: { ...bound, default: '', description: 'The entry at which `page` continues.' },
    [prefix]: { ...bound, default: '', ...(description !== undefined && { description }) },
  }
  return { type: 'object', required: Object.keys(properties), properties }
}

/** `query`: validated by `linkedQuery`. */
export function linkedPage({ key, prefix }: LinkNames, query: unknown): LinkedPage {
  const { page, limit, ...texts } = query as { page: string; limit: number | number[] } & Record<
    string,
    string
  >
  return {
    limit: typeof limit === 'number' ? limit : limit.at(-1)!,
    prefix: texts[prefix]!,
    backwards: page === 'last' || page === 'previous',
    ...(page === 'next' && { after: texts[key]! }),
    ...(page === 'previous' && { before: texts[key]! }),
  }
}

export const PAGING = {
  type: 'object',
  properties: { first: TEXT, last: TEXT, next: TEXT, previous: TEXT },
} as const

/** The links of a page. `found`: its keys, in order. */
export function pageLinks(
  core: HttpCore,
  request: FastifyRequest,
  path: string,
  names: LinkNames,
  found: readonly string[],
) {
  const { key, prefix: name } = names
  const { limit, prefix } = linkedPage(names, request.query)
  const { [key]: given } = request.query as Record<string, string>
  const link = (page: string, from = given!) => {
    const query = new URLSearchParams({ page, [key]: from, limit: String(limit), [name]: prefix })
    return linkTo(core, request, `${path}?${query}`)
  }
  return {
    first: link('first', ''),
    last: link('last', ''),
    next: link('next', found.at(-1)),
    previous: link('previous', found[0]),
  }
}
