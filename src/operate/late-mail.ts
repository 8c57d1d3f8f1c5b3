/**
 * Whether mail is late: it has been due for some time, and none was tried since. Otherwise it takes its turn: a slow
 * site, a lowered rate or a warm-up lets only some mail leave, and the rest stays due.
 */
import { deliveringSince } from './delivering-since.ts'
import type { Operation } from './verb.ts'

/** Events that a delivery leaves behind. */
const OF_ATTEMPTS: ReadonlySet<string> = new Set(['delivered', 'delivery_delayed', 'bounced'])
const MINUTE = 60_000
/** More than an hour of one company has, by minute and type of event. */
const MAX_COUNTS = 10_000
/** Ms that delivery has from its start for what has become due before. */
const START_MS = 10 * MINUTE

export interface LateMail {
  /** Unix ms: when the oldest of it became due. The end of a pause counts as that time. */
  dueAt: number
  /** Unix ms: delivery has only just begun, so nobody can say before that time; null: it is late. */
  knownAt: number | null
}

/** Mail that became due at `since` (Unix ms) or earlier, and is late. `companyId`: null: of the installation. */
export async function lateMail(
  op: Operation,
  companyId: string | null,
  since: number,
  delivering: () => Promise<number | null> = () => deliveringSince(op),
): Promise<LateMail | null> {
  const { store, now } = op
  const dueAt = await (companyId === null ? store.oldestDue(now()) : store.oldestDueOf(companyId, now()))
  if (dueAt === null || dueAt > since) return null
  const begun = await delivering()
  if (begun !== null && (await wasAnyTried(op, companyId, since))) return null
  const knownAt = begun === null ? now() : begun + START_MS
  return { dueAt, knownAt: knownAt > now() ? knownAt : null }
}

async function wasAnyTried(
  { store, now }: Operation,
  companyId: string | null,
  since: number,
): Promise<boolean> {
  const counts = await store.countEvents({
    companyId,
    domainId: null,
    size: 'minute',
    dimension: 'total',
    value: null,
    most: MAX_COUNTS,
    since: Math.floor(since / MINUTE) * MINUTE,
    until: now() + MINUTE,
  })
  return counts === null || counts.some(({ type, n }) => n > 0 && OF_ATTEMPTS.has(type))
}
