/** Building blocks of the contracts: plain JSON Schema. */

import type { CountedState, RecipientState } from '../../../email/recipient.ts'
import { BOUNCE_CATEGORIES } from '../../../mail/reply/category.ts'
import { DOMAIN_NAME, ID, LINE } from '../../bounds.ts'
import { object, orNull } from '../../object-schema.ts'

export { object, orNull }

export const TEXT = { type: 'string' } as const
export const INTEGER = { type: 'integer' } as const
/** ISO 8601 in UTC. */
export const TIME = TEXT

/** The form in which a path or a query names a thing. */
export { ID }
/** Name or id. */
export const DOMAIN_OR_NULL = orNull(DOMAIN_NAME)
export const TEXT_OR_NULL = orNull(TEXT)
export const INTEGER_OR_NULL = orNull(INTEGER)
export const TIME_OR_NULL = orNull(TIME)

/** A site, by its name, one of its servers, or a recipient domain. */
export const SITE_NAME = LINE

/** The category of a server's reply; null: no server has replied. */
export const CATEGORY_OR_NULL = { enum: [...BOUNCE_CATEGORIES, null] } as const

/** When a pause began, when it ends by itself (null: only an operator ends it), and the operator's words. */
export const PAUSE = { since: TIME, until: TIME_OR_NULL, reason: TEXT_OR_NULL } as const

/** Waiting recipients that were made due, and those that were left. */
export const RETRIED = object({
  retried: INTEGER,
  scheduled: INTEGER,
  paused: INTEGER,
  held: INTEGER,
  /** At least one node delivers. */
  delivering: { type: 'boolean' },
})

/** Success without further data. */
export const DONE = object({})

/** A reference to a thing, with its name. */
export const NAMED = object({ id: TEXT, name: TEXT })

/** Rows in one list; beyond them the page offers a search. */
export const MAX_LISTED = 100

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

export const RECIPIENT_STATES = [
  'waiting',
  'sending',
  'quarantined',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'canceled',
] as const satisfies readonly RecipientState[]

export const COUNTED_STATES = [...RECIPIENT_STATES, 'captured'] as const satisfies readonly CountedState[]

/** An action on several objects, which are chosen in a list. */
export const BATCH = object({ ids: { type: 'array', minItems: 1, maxItems: 100, items: ID } })

export const BATCH_RESULT = object({
  /** The number of objects that were changed. */
  changed: INTEGER,
  /** Objects that were not changed. */
  refused: { type: 'array', items: object({ id: TEXT, why: TEXT }) },
})
