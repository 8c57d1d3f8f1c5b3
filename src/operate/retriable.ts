/** Whether a retry could make waiting mail due: it leaves paused and scheduled mail alone. */
import { type QueueLane, REPLY_SEARCHED } from '../store/store.ts'

/**
 * False only if that is certain: mail of so few recipients was never tried, and none of it is due, so it waits for the
 * time that its sender set. Scheduled mail that is part of more counts as retriable.
 */
export function mayBeRetried(
  { waiting, nextDueAt, lastMessage }: Pick<QueueLane, 'waiting' | 'nextDueAt' | 'lastMessage'>,
  now: number,
): boolean {
  if (waiting === 0) return false
  return waiting > REPLY_SEARCHED || lastMessage !== null || nextDueAt === null || nextDueAt <= now
}
