import type { DatabaseSync } from 'node:sqlite'
import { firstEvent } from '../../../email/lifecycle/birth.ts'
import { decide, type Happening } from '../../../email/lifecycle.ts'
import { foundOf } from '../../schedule.ts'
import type { RescheduleResult } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { one } from '../rows.ts'
import type { WriterParts } from './parts.ts'

interface EmailScheduleRow {
  company: number
  sent: number
  createdAt: number
  scheduledAt: number | null
  canceled: number
}

/** Reschedules or cancels emails that wait for the time their sender gave. */
export function schedule(
  db: DatabaseSync,
  { numbers, recipients, lanes, events, changes }: WriterParts,
): Direct<'reschedule' | 'cancelScheduled'> {
  const planned = db.prepare(
    `SELECT company, sent, created_at AS createdAt, scheduled_at AS scheduledAt,
       EXISTS (SELECT 1 FROM recipients WHERE email = num AND state = 'canceled') AS canceled
     FROM emails WHERE num = ?`,
  )
  const setTime = db.prepare('UPDATE emails SET scheduled_at = ? WHERE num = ?')

  function happen(emailId: string, happening: Happening & { at: number }): RescheduleResult {
    const num = numbers.find(emailId)?.num
    const email = num === undefined ? undefined : one<EmailScheduleRow>(planned, num)
    if (num === undefined || email === undefined) return { found: 'unknown' }
    const waiting = recipients.live(num).filter(({ state }) => state === 'waiting')
    const found = foundOf(
      { ...email, sent: email.sent === 1, canceled: email.canceled === 1 },
      waiting.length,
    )
    if (found.found !== 'scheduled') return found
    if (happening.kind === 'reschedule') {
      const { at, dueAt } = happening
      setTime.run(dueAt, num)
      events.append(num, email.company, null, firstEvent({ createdAt: at, dueAt, scheduledAt: dueAt }))
    }
    for (const before of waiting) recipients.apply(before, decide(before, happening)!, happening.at)
    lanes.write()
    changes.queue = true
    return found
  }

  return {
    reschedule: (emailId, dueAt, at) =>
      happen(emailId, { kind: 'reschedule', at, dueAt: Math.max(Math.round(dueAt), Math.round(at)) }),
    cancelScheduled: (emailId, at) => happen(emailId, { kind: 'cancel', at }),
  }
}
