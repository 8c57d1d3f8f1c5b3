/**
 * Counts for an answer. Their number grows with the tags that senders use and with recipient domains, so an answer may
 * add up a limited number of them.
 */

import { Fault } from '../ingress/fault.ts'
import type {
  BusiestRequest,
  EventGroups,
  GroupRequest,
  SeenTags,
  SeenTagsRequest,
  TypeSums,
} from '../store/store.ts'
import type { HttpCore } from './core.ts'

type Core = { deps: Pick<HttpCore['deps'], 'searches'> }

/** Each count is for one time, value and type. */
const MAX_COUNTS = 50_000
/** Counts to add up for the busiest recipient domains; their number depends on the senders. */
const MAX_IN_SUMS = 500_000
/** Counts to read for tags. */
const LOOKS = 1_000_000

const NARROWER = 'ask for a shorter period, longer steps, one domain, or one tag or recipient domain'

/** Rejects with a Fault when there are too many counts. `advice` tells the client what to request instead. */
export async function groupsOf(
  core: Core,
  request: Omit<GroupRequest, 'most'>,
  advice = NARROWER,
): Promise<EventGroups> {
  const groups = await core.deps.searches.groups({ ...request, most: MAX_COUNTS })
  if (groups !== null) return groups
  throw tooManyEvents(advice)
}

/** TypeSums by value, those with the most mail first. Rejects with a Fault when there are too many counts. */
export async function busiestOf(
  core: Core,
  request: Omit<BusiestRequest, 'most'>,
): Promise<Map<string, TypeSums>> {
  const sums = await core.deps.searches.busiest({ ...request, most: MAX_IN_SUMS })
  if (sums === null) throw tooManyEvents('ask for a shorter period')
  const byValue = Map.groupBy(
    sums.filter(({ key }) => key !== ''),
    ({ key }) => key,
  )
  const values = [...byValue].map(([key, of]): [string, TypeSums] => [
    key,
    Object.fromEntries(of.map(({ type, n }) => [type, n])),
  ])
  return new Map(values.sort(([, a], [, b]) => (b.accepted ?? 0) - (a.accepted ?? 0)))
}

/** Rejects with a Fault when the search would read more counts than one answer may. */
export async function tagsOf(core: Core, request: Omit<SeenTagsRequest, 'looks'>): Promise<SeenTags> {
  const tags = await core.deps.searches.tags({ ...request, looks: LOOKS })
  if (tags !== null) return tags
  throw tooManyEvents('ask for one tag')
}

export function tooManyEvents(advice: string): Fault {
  return new Fault({ code: 'request_invalid', detail: `There are too many events to count: ${advice}` })
}
