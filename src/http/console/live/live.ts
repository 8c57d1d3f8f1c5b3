/** The stream of changes. */
import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../../intake/refusal.ts'
import { authorise } from '../../../operate/authority.ts'
import { shareOf } from '../authenticate.ts'
import type { LIVE_ROUTES } from '../contract/emails.ts'
import type { Handlers } from '../handlers.ts'
import { sessionToken } from '../session/cookie.ts'

export const liveHandlers: Handlers<typeof LIVE_ROUTES> = {
  'GET /companies/:company/live': async ({ actingAs: caller, company, person, query, request }, core) => {
    authorise(caller, 'read')
    const after = lastSeen(request, query.after)
    const leave = core.streams.reserve(person.id, shareOf(person.id, caller))
    const token = sessionToken(core, request.raw)!
    return {
      type: 'text/event-stream; charset=utf-8',
      // Otherwise nginx buffers the stream.
      headers: { 'x-accel-buffering': 'no' },
      open: (response) => core.streams.open(response, { token, companyId: company }, after, leave),
    }
  },
}

/** The last event that the client has seen: sent when an interrupted stream is resumed, or a new one is opened. */
function lastSeen({ headers }: FastifyRequest, after: string | undefined): number | null {
  const given = headers['last-event-id'] ?? after
  if (given === undefined) return null
  const number = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw invalidField('after', 'it must be an event number')
}
