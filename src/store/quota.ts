/** The quota of a company: recipients a day, and a month. Both are counted in UTC. */
import { utcDay } from '../common/utc-day.ts'
import type { NewEmail, OverQuota, Quota } from './store.ts'

/** The counts so far, and their day and month. */
export interface QuotaUsage {
  /** `2026-11-20` */
  day: string
  daily: number
  /** `2026-11` */
  month: string
  monthly: number
}

/** Ms by which the clocks of two nodes may disagree. */
const CLOCKS_APART_MS = 60 * 60_000

/**
 * The counts at `at`, in Unix ms: counts of an earlier day or month are over. Those of a day that is about to begin
 * continue: around midnight the clocks of two nodes may disagree. Those of a later day come from a clock that was
 * wrong.
 */
export function usedAt(used: QuotaUsage | undefined, at: number): QuotaUsage {
  const days = [utcDay(at), utcDay(at + CLOCKS_APART_MS)]
  const day = days.findLast((each) => each === used?.day) ?? days[0]!
  const month = day.slice(0, 7)
  return {
    day,
    daily: used?.day === day ? used.daily : 0,
    month,
    monthly: used?.month === month ? used.monthly : 0,
  }
}

/** The counts with these emails, all or none. */
export function usedWith(
  used: QuotaUsage,
  { daily, monthly }: Quota,
  emails: readonly NewEmail[],
): QuotaUsage | OverQuota {
  const more = emails.reduce((sum, { recipients }) => sum + recipients.length, 0)
  const after = { ...used, daily: used.daily + more, monthly: used.monthly + more }
  if (monthly !== null && after.monthly > monthly)
    return { kind: 'over-quota', which: 'monthly', limit: monthly }
  if (daily !== null && after.daily > daily) return { kind: 'over-quota', which: 'daily', limit: daily }
  return after
}
