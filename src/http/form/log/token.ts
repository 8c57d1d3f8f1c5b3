/**
 * The last part of a page's URL: all that has to be known to go on, for some clients repeat their query and others do
 * not.
 */
import { Fault } from '../../fault.ts'
import { FILTERS } from './fields.ts'
import type { EventQuery } from './query.ts'

/** Which events: those behind a number, or those up to it; nearest to it first. */
export type Place = { after: number } | { upTo: number }

const KEYS: readonly string[] = [...FILTERS, 'begin', 'end', 'ascending', 'limit']

export function pageToken(query: EventQuery, place: Place): string {
  const given = Object.entries(query).filter(([key]) => KEYS.includes(key))
  const to = 'after' in place ? ['a', place.after] : ['u', place.upTo]
  return Buffer.from(JSON.stringify([...to, Object.fromEntries(given)])).toString('base64url')
}

/** Throws a Fault for what is no token of ours. What is in the query is checked where it is read. */
export function readToken(token: string): { query: EventQuery; place: Place } {
  const read = parsed(token)
  if (!Array.isArray(read)) throw noToken()
  const [towards, number, query] = read as unknown[]
  if (!Number.isSafeInteger(number) || (number as number) < 0) throw noToken()
  if (towards !== 'a' && towards !== 'u') throw noToken()
  if (query === null || typeof query !== 'object') throw noToken()
  const entries = Object.entries(query)
  if (!entries.every(([key, value]) => KEYS.includes(key) && typeof value === 'string')) throw noToken()
  const place: Place = towards === 'a' ? { after: number as number } : { upTo: number as number }
  return { query: query as EventQuery, place }
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown
  } catch {
    throw noToken()
  }
}

function noToken(): Fault {
  return new Fault({ code: 'request_invalid', detail: 'There is no such page: follow the URLs in paging' })
}
