import { isEmailId } from '../../email/email-id.ts'
import { firstEvent } from '../../email/lifecycle/birth.ts'
import type { Happening } from '../../email/lifecycle.ts'
import { foundOf } from '../schedule.ts'
import type { EmailStore, RescheduleResult } from '../store.ts'
import { apply, decideEach } from './apply.ts'
import type { Statement } from './database.ts'
import { COMPANY_OF, factsOf, HOLD_EMAIL, type RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

const PLANNED: Statement = {
  name: 'planned',
  text: `SELECT company, sent, scheduled_at AS "scheduledAt",
      EXISTS (SELECT 1 FROM recipients WHERE email = $1 AND state = 'canceled') AS canceled
    FROM emails WHERE id = $1`,
}

interface ScheduleRow {
  company: number
  sent: boolean
  scheduledAt: number | null
  canceled: boolean
}

const SET_TIME = 'UPDATE emails SET scheduled_at = $2 WHERE id = $1'
const TELL = `INSERT INTO events (email, company, recipient, at, type, detail)
  VALUES ($1, $2, NULL, $3, $4, $5)`

/** Reschedules or cancels emails that wait for the time their sender gave. */
export function schedule({
  database,
  changes,
}: StoreParts): Pick<EmailStore, 'reschedule' | 'cancelScheduled'> {
  async function happen(id: string, happening: Happening & { at: number }): Promise<RescheduleResult> {
    if (!isEmailId(id)) return { found: 'unknown' }
    const [known] = await database.look<Pick<ScheduleRow, 'company'>>(COMPANY_OF, [id])
    if (known === undefined) return { found: 'unknown' }
    const found = await database.change(known.company, async (session): Promise<RescheduleResult> => {
      // Locks in the order of a claim: first the queue, then the email.
      const places = await session.run<RecipientKey>(HOLD_EMAIL, [id])
      const [email] = await session.run<ScheduleRow>(PLANNED, [id])
      if (email === undefined) return { found: 'unknown' }
      const waiting = (await factsOf(session, places)).filter(({ facts }) => facts.state === 'waiting')
      const found = foundOf(email, waiting.length)
      if (found.found !== 'scheduled') return found
      const { at } = happening
      if (happening.kind === 'reschedule') {
        const { dueAt } = happening
        const { type, detail } = firstEvent({ createdAt: at, dueAt, scheduledAt: dueAt })
        await session.run(SET_TIME, [id, dueAt])
        await session.run(TELL, [id, email.company, at, type, JSON.stringify(detail)])
      }
      await apply(
        session,
        decideEach(waiting, () => happening),
        at,
      )
      return found
    })
    if (found.found === 'scheduled') changes.queueChanged()
    return found
  }
  return {
    reschedule(emailId, dueAt, now) {
      const at = Math.round(now)
      return happen(emailId, { kind: 'reschedule', at, dueAt: Math.max(Math.round(dueAt), at) })
    },
    cancelScheduled: (emailId, at) => happen(emailId, { kind: 'cancel', at: Math.round(at) }),
  }
}
