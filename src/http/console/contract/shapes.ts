/** What contracts are made of: JSON Schema as it stands. */
import { DOMAIN_NAME, ID } from '../../bounds.ts'

export const TEXT = { type: 'string' } as const
export const INTEGER = { type: 'integer' } as const
/** ISO 8601 in UTC. */
export const TIME = TEXT

export function orNull<const Schema extends object>(schema: Schema) {
  return { anyOf: [schema, { type: 'null' }] } as const
}
/** As a path or a query names a thing. */
export { ID }
/** Its name or its id. */
export const DOMAIN_OR_NULL = orNull(DOMAIN_NAME)
export const TEXT_OR_NULL = orNull(TEXT)
export const INTEGER_OR_NULL = orNull(INTEGER)
export const TIME_OR_NULL = orNull(TIME)

type Properties = Readonly<Record<string, object>>

interface ObjectSchema<Required extends Properties, Optional extends Properties> {
  readonly type: 'object'
  readonly additionalProperties: false
  /** One that is any of them: TypeBox asks for a tuple, and which names it has is all that matters. */
  readonly required: [keyof Required] extends [never] ? readonly [] : readonly [keyof Required & string]
  readonly properties: Required & Optional
}

/** An object with these, and perhaps those, and nothing else: what is sent, and what is answered. */
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

/** Done, and nothing more to say. */
export const DONE = object({})

/** A thing that is named elsewhere. */
export const NAMED = object({ id: TEXT, name: TEXT })

/** As many are listed at once: who seeks another one searches. */
export const MOST_LISTED = 100

/** Parameters of a path. */
export const COMPANY_PARAMS = object({ company: ID })

const CURSOR = { type: 'string', maxLength: 1_000 } as const
/** In the query of a list that is turned page by page, both ways (cursor-page.ts). */
export const PAGE_LIMIT = { limit: { type: 'integer', minimum: 10, maximum: 200, default: 50 } } as const
export const CURSORS = { after: CURSOR, before: CURSOR } as const

/** A page of such a list. */
export function pageOf<const Item extends object>(items: Item) {
  return object({
    data: { type: 'array', items },
    /** `before` of the page before, and `after` of the next one; null: there is none. */
    previous: TEXT_OR_NULL,
    next: TEXT_OR_NULL,
  })
}
