import type { Rescheduled } from './store.ts'

/** What is known of an email that is to be sent at another time. */
interface Planned {
  /** It has been begun. */
  sent: boolean
  scheduledAt: number | null
  /** Some of its recipients are. */
  canceled: boolean
}

/** `waiting`: so many of its recipients wait. */
export function foundOf({ sent, scheduledAt, canceled }: Planned, waiting: number): Rescheduled {
  if (scheduledAt === null) return { found: 'unscheduled' }
  if (sent) return { found: 'begun' }
  if (waiting > 0) return { found: 'scheduled', recipients: waiting }
  return canceled ? { found: 'canceled' } : { found: 'begun' }
}
