/** `PATCH /emails/{id}` and `POST /emails/{id}/cancel`: changes to a scheduled email. */

import type { Principal } from '../../../accounts/account.ts'
import { maySchedule } from '../../../accounts/reading.ts'
import { Fault } from '../../../ingress/fault.ts'
import { Refusal } from '../../../intake/refusal.ts'
import type { RescheduleResult } from '../../../store/store.ts'
import { LINE } from '../../bounds.ts'
import { type EmailOrigins, originOf } from '../../email-origin.ts'
import type { Endpoint } from '../../endpoint.ts'
import { object } from '../../object-schema.ts'
import { route } from '../../route.ts'
import { requireEmailPath, unknownEmail } from './find.ts'
import { readScheduledAt } from './scheduled-at.ts'

const DONE = object({ object: { const: 'email' }, id: { type: 'string', format: 'uuid' } })

const reschedule = route('PATCH /emails/:id', {
  operation: 'email_reschedule',
  access: 'key',
  operationId: 'rescheduleEmail',
  summary: 'Reschedule a scheduled email',
  // Clients repeat the id here, under various names.
  body: {
    type: 'object',
    required: ['scheduled_at'],
    properties: {
      scheduled_at: {
        ...LINE,
        description: 'As in `POST /emails`: ISO 8601, or an English phrase. A time in the past means now.',
      },
    },
  },
  answer: DONE,
})(async ({ caller, params, body }, { deps }) => {
  const id = await requireScheduled(deps, caller, params.id)
  const now = Date.now()
  const dueAt = readScheduledAt(body.scheduled_at, now)
  assertScheduled(await deps.store.reschedule(id, dueAt, now), 'rescheduled')
  return { object: 'email', id }
})

const cancel = route('POST /emails/:id/cancel', {
  operation: 'email_cancel',
  access: 'key',
  operationId: 'cancelEmail',
  summary: 'Cancel a scheduled email',
  answer: DONE,
})(async ({ caller, params }, { deps }) => {
  const id = await requireScheduled(deps, caller, params.id)
  assertScheduled(await deps.store.cancelScheduled(id, Date.now()), 'canceled')
  return { object: 'email', id }
})

export const schedulingEndpoints: readonly Endpoint[] = [reschedule, cancel]

/** The id of an email whose sending the caller may change. */
async function requireScheduled(deps: { store: EmailOrigins }, caller: Principal, given: string) {
  requireEmailPath(given)
  if (!caller.scopes.has('sending') && !caller.scopes.has('management')) {
    throw new Refusal({ code: 'scope_missing', scope: 'sending' })
  }
  const { id, origin } = await originOf(deps, given)
  if (origin === null || !maySchedule(caller, origin)) throw unknownEmail()
  return id
}

/** Throws a Fault unless the email is still scheduled. `done`: the attempted change, for its message. */
function assertScheduled({ found }: RescheduleResult, done: 'rescheduled' | 'canceled'): void {
  switch (found) {
    case 'scheduled':
      return
    case 'unknown':
      throw unknownEmail()
    case 'unscheduled':
      throw notScheduled(`This email was not scheduled, so it cannot be ${done}.`)
    case 'begun':
      throw notScheduled(`The scheduled time of this email has passed, so it can no longer be ${done}.`)
    case 'canceled':
      throw notScheduled(
        `This email is canceled${done === 'canceled' ? ' already' : ' and cannot be rescheduled'}.`,
      )
  }
}

function notScheduled(detail: string): Fault {
  return new Fault({ code: 'request_invalid', detail })
}
