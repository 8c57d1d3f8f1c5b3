/** The named times of the time menu. Pure. */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The last `ms` milliseconds, or a day in the viewer's time zone. */
type Period = { label: string } & ({ ms: number } | { daysAgo: number })

export const PERIODS: Readonly<Record<string, Period>> = {
  '1h': { label: 'Last hour', ms: 60 * MINUTE },
  '24h': { label: 'Last 24 hours', ms: DAY },
  today: { label: 'Today', daysAgo: 0 },
  yesterday: { label: 'Yesterday', daysAgo: 1 },
  '7d': { label: 'Last 7 days', ms: 7 * DAY },
  '30d': { label: 'Last 30 days', ms: 30 * DAY },
}

/** In ISO 8601. */
export function timesOf(period: Period): { since: string; until?: string } {
  if ('ms' in period) return { since: new Date(Date.now() - period.ms).toISOString() }
  return { since: dayStart(period.daysAgo), until: dayStart(period.daysAgo - 1) }
}

function dayStart(daysAgo: number): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString()
}
