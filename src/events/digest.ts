/** The digest: the lists and counters that searches and statistics need, kept up to date behind the log. */
import { COUNT_SIZES, type CountSize } from '../store/digest.ts'
import type { DigestStore } from '../store/store.ts'
import { Follower, type FollowerParts, type FollowerProgress, type Hold } from './follower.ts'

/** The follower's name. */
export const DIGEST = 'digest'

/** The approximate number of events in one step: the larger the step, the less each event costs. */
const STEP = 4_096
/** Buckets of each size for which counters are kept. */
const KEPT_BUCKETS: Readonly<Record<CountSize, number>> = { minute: 3 * 1_440, hour: 100 * 24, day: 3 * 366 }
const TRIM_MS = 10 * 60_000

type StepStore = Pick<DigestStore, 'digestAfter' | 'keepDigest'>
type TrimStore = Pick<DigestStore, 'trimDigest'>

interface DigestParts extends Pick<FollowerParts, 'token' | 'onFault'> {
  store: StepStore & TrimStore & FollowerParts['store']
}

/** The follower that updates the digest, on one node at a time. */
export function digestFollower({ store, token, onFault }: DigestParts): Follower {
  let trimmed = 0
  return new Follower({
    store,
    name: DIGEST,
    start: 0,
    token,
    async step(hold) {
      const progress = await digestStep(store, hold)
      const now = Date.now()
      // Trims after a step, so that a steady stream of events does not prevent it.
      if (progress !== null && now - trimmed >= TRIM_MS && !(await trim(store, now))) trimmed = now
      return progress
    },
    onFault,
  })
}

/** Null when the follower no longer belongs to this node. */
export async function digestStep(
  store: StepStore,
  { name, token, cursor: from }: Hold,
): Promise<FollowerProgress | null> {
  const { digest, cursor: to, more } = await store.digestAfter(from, STEP)
  const progress = { cursor: to, more }
  if (to === from) return progress
  return (await store.keepDigest({ name, token, from, to }, digest)) ? progress : null
}

/** Returns true when there may be more to remove. */
function trim(store: TrimStore, now: number): Promise<boolean> {
  const before = (size: CountSize) => now - KEPT_BUCKETS[size] * COUNT_SIZES[size]
  return store.trimDigest({ minute: before('minute'), hour: before('hour'), day: before('day') })
}
