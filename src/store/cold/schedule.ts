/** Reschedules or cancels emails that wait for the time their sender gave. */
import { firstEvent } from '../../email/lifecycle/initial-state.ts'
import type { Happening } from '../../email/lifecycle.ts'
import type { RescheduleResult } from '../store.ts'
import { decideAndWrite } from './decisions.ts'
import { findEmail } from './live-recipients.ts'
import type { Operations, Port, PortSteps } from './port.ts'
import { statement } from './statement.ts'

interface ScheduleRow {
  /** The delivery of the email has begun. */
  sent: boolean | number
  scheduledAt: number | null
  /** Some of the email's recipients are canceled. */
  canceled: boolean | number
}

const PLANNED = statement<ScheduleRow>(
  ({ emailKey }) => `SELECT sent, scheduled_at AS "scheduledAt",
      EXISTS (SELECT 1 FROM recipients WHERE email = $1 AND state = 'canceled') AS canceled
    FROM emails WHERE ${emailKey} = $1`,
  'planned',
)
const SET_TIME = statement(
  ({ emailKey }) => `UPDATE emails SET scheduled_at = $2,
    give_up_at = give_up_at + $2 - scheduled_at WHERE ${emailKey} = $1`,
)

export const scheduleWrites = {
  *reschedule(port, emailId, dueAt, now) {
    const at = Math.round(now)
    return yield* change(port, emailId, { kind: 'reschedule', at, dueAt: Math.max(Math.round(dueAt), at) })
  },

  *cancelScheduled(port, emailId, at) {
    return yield* change(port, emailId, { kind: 'cancel', at: Math.round(at) })
  },
} satisfies Operations<Port>

function* change(
  port: Port,
  emailId: string,
  happening: Happening & { at: number },
): PortSteps<RescheduleResult> {
  const known = yield* findEmail(port, emailId)
  if (known === undefined) return { found: 'unknown' }
  const { key, company } = known
  const found = yield* port.change(company, function* (db): PortSteps<RescheduleResult> {
    // Locks in the order of a claim: first the queue, then the email.
    const live = yield* db.lockLive(key)
    const email = yield* db.one(PLANNED, key)
    if (email === undefined) return { found: 'unknown' }
    const waiting = live.filter(({ state }) => state === 'waiting')
    const found = foundOf(email, waiting.length)
    if (found.found !== 'scheduled') return found
    if (happening.kind === 'reschedule') {
      const { at, dueAt } = happening
      yield* db.run(SET_TIME, key, dueAt)
      yield* db.tell(company, firstEvent({ createdAt: at, dueAt, scheduledAt: dueAt }), key)
    }
    yield* decideAndWrite(db, waiting, () => happening, happening.at)
    return found
  })
  if (found.found === 'scheduled') port.changed('queue')
  return found
}

/** `waiting`: number of its waiting recipients. */
function foundOf({ sent, scheduledAt, canceled }: ScheduleRow, waiting: number): RescheduleResult {
  if (scheduledAt === null) return { found: 'unscheduled' }
  if (sent) return { found: 'begun' }
  if (waiting > 0) return { found: 'scheduled', recipients: waiting }
  return canceled ? { found: 'canceled' } : { found: 'begun' }
}
