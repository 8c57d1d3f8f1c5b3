/** Building blocks of the contracts: plain JSON Schema. */
import { DOMAIN_NAME, ID } from '../../bounds.ts'

export const TEXT = { type: 'string' } as const
export const INTEGER = { type: 'integer' } as const
/** ISO 8601 in UTC. */
export const TIME = TEXT

export function orNull<const Schema extends object>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}
/** The form in which a path or a query names a thing. */
export { ID }
/** Name or id. */
export const DOMAIN_OR_NULL = orNull(DOMAIN_NAME)
export const TEXT_OR_NULL = orNull(TEXT)
export const INTEGER_OR_NULL = orNull(INTEGER)
export const TIME_OR_NULL = orNull(TIME)

type Properties = Readonly<Record<string, object>>

interface ObjectSchema<Required extends Properties, Optional extends Properties> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** Any of the names: TypeBox requires a tuple, but only the set of names matters to its types. */
  readonly required: [keyof Required] extends [never] ? readonly [] : readonly [keyof Required & string]
  readonly properties: Required & Optional
}

/** An object with the required and the optional properties, and no others: for requests and answers. */
export function object<
  const Required extends Properties,
  const Optional extends Properties = Record<never, never>,
>(required: Required, optional: Optional = {} as Optional): ObjectSchema<Required, Optional> {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required) as unknown as ObjectSchema<Required, Optional>['required'],
    properties: { ...required, ...optional },
  }
}

/** Success without further data. */
export const DONE = object({})

/** A reference to a thing, with its name. */
export const NAMED = object({ id: TEXT, name: TEXT })

/** Rows in one list; beyond them the page offers a search. */
export const MOST_LISTED = 100

const CURSOR = { type: 'string', maxLength: 1_000 } as const
/** Query parameters of a list with pages in both directions (http/cursor-page.ts). */
export const PAGE_LIMIT = { limit: { type: 'integer', minimum: 10, maximum: 200, default: 50 } } as const
export const CURSORS = { after: CURSOR, before: CURSOR } as const

/** A page of such a list. */
export function pageOf<const Item extends object>(items: Item) {
  return object({
    data: { type: 'array', items },
    /** `before` for the previous page, and `after` for the next one; null: there is none. */
    previous: TEXT_OR_NULL,
    next: TEXT_OR_NULL,
  })
}
