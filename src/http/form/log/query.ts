/** A query for events of a domain. */

import { readTime } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { PASSAGE, TIME_INPUT, WORD } from '../../bounds.ts'
import { parseExpression } from './expression.ts'
import { type EventObject, FILTERS, type FilterField, filterTest } from './fields.ts'
import { type EventConstraints, indexConstraints } from './narrowing.ts'

/** The largest page; a higher limit is reduced to it. */
export const MAX_EVENTS = 300

/** The query as parsed from the URL. */
export type EventQuery = Partial<Record<FilterField | 'begin' | 'end' | 'ascending' | 'pretty', string>> & {
  limit?: number
}

export const EVENT_QUERY = {
  type: 'object',
  properties: {
    begin: { ...TIME_INPUT, description: 'A date as in a mail header, or Unix seconds.' },
    end: TIME_INPUT,
    ascending: {
      enum: ['yes', 'no', 'true', 'false'],
      description: 'Default: yes if `begin` is before `end`.',
    },
    limit: { type: 'integer', minimum: 1, maximum: MAX_EVENTS, description: 'Events per page.' },
    pretty: WORD,
    ...(Object.fromEntries(FILTERS.map((name) => [name, PASSAGE])) as Record<FilterField, typeof PASSAGE>),
  },
} as const

export interface EventSelection {
  /** The filters that an index can serve; `fits` applies the rest. */
  filter: EventConstraints
  ascending: boolean
  limit: number
  /** `address`: the recipient's, as in the envelope. */
  fits(eventObject: EventObject, address?: string): boolean
}

/** Throws a Refusal. */
export function readQuery(query: EventQuery): EventSelection {
  const begin = time('begin', query.begin)
  const end = time('end', query.end)
  const ascending =
    query.ascending === undefined
      ? begin !== undefined && (end === undefined || begin <= end)
      : query.ascending === 'yes' || query.ascending === 'true'
  // In a range that runs backwards, `begin` is the later time.
  const swapped = begin !== undefined && end !== undefined ? begin > end : begin !== undefined && !ascending
  const [since, until] = swapped ? [end, begin] : [begin, end]
  const filters = FILTERS.flatMap((name) => {
    const text = query[name]
    return text === undefined || text === '' ? [] : [[name, parseExpression(name, text)] as const]
  })
  return {
    filter: {
      ...indexConstraints(filters),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    },
    ascending,
    limit: query.limit ?? 100,
    fits: filterTest(filters),
  }
}

function time(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const at = readTime(text)
  if (at === null) throw invalidField(name, 'it is neither an RFC 2822 date nor a number of Unix seconds')
  return at
}
