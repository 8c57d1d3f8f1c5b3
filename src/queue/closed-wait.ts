/** How long mail waits for a closed path. */
import { othersFailed } from '../email/not-attempted.ts'
import type { GiveBackReason } from './attempt.ts'
import type { Trouble } from './trouble.ts'

/**
 * Deliveries of a closed part that come back within the longest pause between two tries: if more wait, they come back
 * later. One of them tries the path if the one that tried it before does not.
 */
const COME_BACK = 5
/** Held mail comes back within this time (ms), whatever becomes of the node that would release it. */
const LONGEST_HELD_MS = 6 * 3_600_000

/**
 * A delivery of the company is given back because of the trouble, and counts as returned. `isSooner`: it has brought
 * the next try forward. `spread`: ms within which the due times are spread.
 *
 * They are spread so that another delivery can try the path if this one does not, and so that a long queue costs no
 * more than a short one; all are released when the path is clear. This may be the delivery that the closing node keeps
 * for its try: one delivery is due at the next try of this node.
 */
export function closedWait(
  trouble: Trouble,
  companyId: string,
  { isSooner, spread: within, now }: { isSooner: boolean; spread(): number; now: number },
): GiveBackReason {
  const isFirst = trouble.learnt && trouble.returned === 0
  const waiting = Math.max(++trouble.returned, trouble.returnedBefore)
  const spread = isSooner || isFirst ? 0 : within()
  const [soonest, times] = [Math.max(now, trouble.probeAt), Math.max(1, waiting / COME_BACK)]
  const endsFrom = soonest + spread
  const dueAt = Math.max(
    endsFrom,
    soonest + Math.round(Math.min(spread * times, LONGEST_HELD_MS * Math.random())),
  )
  const why = trouble.metBy === companyId ? trouble.message : trouble.brief
  const { metAt, category } = trouble
  const message = othersFailed(why)
  const reason = { dueAt, heldFor: 'path', message, postpones: true, endsFrom, metAt } as const
  return category === undefined ? reason : { ...reason, category }
}
