import type { RescheduleResult } from './store.ts'

/** The state of an email that is to be rescheduled. */
interface ScheduleState {
  /** The delivery of the email has begun. */
  sent: boolean
  scheduledAt: number | null
  /** Some of the email's recipients are canceled. */
  canceled: boolean
}

/** `waiting`: number of its waiting recipients. */
export function foundOf({ sent, scheduledAt, canceled }: ScheduleState, waiting: number): RescheduleResult {
  if (scheduledAt === null) return { found: 'unscheduled' }
  if (sent) return { found: 'begun' }
  if (waiting > 0) return { found: 'scheduled', recipients: waiting }
  return canceled ? { found: 'canceled' } : { found: 'begun' }
}
