/**
 * How much of the limits of each path is used now, with the closures of its parts: what a node reports of its sites.
 */
import type { Path } from '../delivery/path/path.ts'
import type { SiteClosure } from '../store/store.ts'
import type { LastTroubles } from './last-troubles.ts'
import { companyIn, pathKeyOf } from './path-part.ts'
import { byExtent, type PathUse } from './site-states.ts'
import type { Throttle } from './throttle.ts'
import type { WarmUp } from './warm-up.ts'

interface PathUsesParts {
  throttle: Pick<Throttle, 'sessions' | 'pacing'>
  /** Closures by the key of the path. */
  closures: ReadonlyMap<string, readonly SiteClosure[]>
  warmUp: Pick<WarmUp, 'progress'>
  lastTroubles: Pick<LastTroubles, 'of'>
  /** Name of a company, for people. */
  companyName(id: string): string
  /** Sessions that are busy on a path. */
  busyOn(path: Path): number
}

/** `now` in Unix ms. */
export function pathUses(
  { throttle, closures, warmUp, lastTroubles, companyName, busyOn }: PathUsesParts,
  now: number,
): PathUse[] {
  const { sessions, pacing } = throttle
  const used = [...pacing.used()]
  const isWhole = ({ path }: { path: Path }) => pathKeyOf(path.key) === path.key
  const parts = Map.groupBy(
    used.filter((each) => !isWhole(each)),
    ({ path }) => pathKeyOf(path.key),
  )
  const fewest = lowestOf(sessions.lowered())
  return used.filter(isWhole).map(({ path, recent, lastMessageAt, lastAcceptedAt, lowered, pause }) => {
    const own = parts.get(path.key) ?? []
    const asked = [{ path, pause }, ...own].flatMap(({ path: { key }, pause }) => {
      const companyId = companyIn(key)
      const company = companyId === null ? null : companyName(companyId)
      return pause === null ? [] : pauseAsked(now, pause, { companyId, company })
    })
    return {
      path,
      sessions: busyOn(path),
      recent,
      lastMessageAt,
      lastAcceptedAt,
      lastTrouble: lastTroubles.of(path),
      lowered: {
        sessions: least([sessions.loweredOf(path), fewest.get(path.key) ?? null]),
        messagesPerMinute: least([lowered, ...own.map((part) => part.lowered)]),
      },
      closures: [...(closures.get(path.key) ?? []), ...asked].sort(byExtent),
      warmUp: warmUp.progress(path, now),
    }
  })
}

function pauseAsked(
  now: number,
  { lasted, left }: { lasted: number; left: number },
  whose: Pick<SiteClosure, 'companyId' | 'company'>,
): SiteClosure {
  const reason = 'The servers asked us to wait'
  return {
    since: Math.round(now - lasted),
    kind: 'busy',
    reason,
    brief: reason,
    nextTryAt: Math.round(now + left),
    metBy: null,
    ...whose,
    sendingDomain: null,
    recipientDomain: null,
    list: null,
  }
}

/** The lowest number of each path and its parts, by key of the path. */
function lowestOf(numbers: Iterable<[key: string, number: number]>): Map<string, number> {
  const lowest = new Map<string, number>()
  for (const [key, number] of numbers) {
    const path = pathKeyOf(key)
    lowest.set(path, Math.min(number, lowest.get(path) ?? number))
  }
  return lowest
}

function least(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((each) => each !== null)
  return known.length === 0 ? null : Math.min(...known)
}
