/**
 * What was counted, as much as one answer may add up: senders decide by their tags and recipients how much there is.
 */
import type { CountedValue, EventGroups, GroupRequest, ValuesRequest } from '../../../store/store.ts'
import type { HttpCore } from '../../core.ts'
import { Fault } from '../../fault.ts'

type Core = { deps: Pick<HttpCore['deps'], 'searches'> }

/** Each is of one time, value and type. */
const MOST_COUNTS = 50_000
const MOST_VALUES = 50_000
/** Counts that are gone through for these. */
const LOOKS = 1_000_000

/** Rejects with a Fault where there are too many. */
export async function groupsOf(core: Core, request: Omit<GroupRequest, 'most'>): Promise<EventGroups> {
  const groups = await core.deps.searches.groups({ ...request, most: MOST_COUNTS })
  if (groups !== null) return groups
  throw tooMuch(
    'ask for a shorter time, for longer steps, for one domain, or for one tag or recipient domain',
  )
}

/** The values of a dimension, in their order. Rejects with a Fault where there are too many. */
export async function valuesOf(
  core: Core,
  request: Omit<ValuesRequest, 'most' | 'looks' | 'size'>,
): Promise<CountedValue[]> {
  const bounds = { size: 'day', looks: LOOKS, most: MOST_VALUES } as const
  const values = await core.deps.searches.values({ ...request, ...bounds })
  if (values !== null) return values
  throw tooMuch(`more than ${MOST_VALUES} tags are not listed; ask for one of them`)
}

function tooMuch(advice: string): Fault {
  return new Fault({ code: 'request_invalid', detail: `There is too much to add up: ${advice}` })
}
