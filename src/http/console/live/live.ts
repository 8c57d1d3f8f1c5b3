/** What changes, as it does: written by hand, for it has no end. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidField } from '../../../intake/refusal.ts'
import { authorise } from '../../../operate/authority.ts'
import type { OpenAnswer } from '../../answer.ts'
import type { Answering } from '../../api.ts'
import type { HttpCore } from '../../core.ts'
import { type Authentication, shareOf } from '../authenticate.ts'
import { sessionToken } from '../session/cookie.ts'
import { Streams } from './streams.ts'

export const LIVE_URL = '/console/api/companies/:company/live'

type LiveRoute = { Params: { company: string }; Querystring: { after?: string | string[] } }

export function addLive(
  app: FastifyInstance,
  answering: Answering,
  core: HttpCore,
  authentication: Authentication,
): void {
  const streams = new Streams(core, authentication)
  // A stream under way would be waited for.
  app.addHook('preClose', async () => streams.close())
  const work = async (request: FastifyRequest<LiveRoute>): Promise<OpenAnswer> => {
    const { caller, company, person } = await authentication.authenticate(request, 'company')
    authorise(caller, 'read')
    const after = seen(request)
    const leave = streams.reserve(person.id, shareOf(person.id, caller))
    const token = sessionToken(core, request.raw)!
    return {
      type: 'text/event-stream; charset=utf-8',
      // nginx gathers what is answered otherwise.
      headers: { 'x-accel-buffering': 'no' },
      open: (response) => streams.open(response, { token, companyId: company }, after, leave),
    }
  }
  app.route<LiveRoute>({
    method: 'GET',
    url: LIVE_URL,
    exposeHeadRoute: false,
    handler: answering('console_live', work),
  })
}

/** What its client knows already: of a stream that was interrupted, or said when it is opened. */
function seen({ headers, query }: FastifyRequest<LiveRoute>): number | null {
  const given = headers['last-event-id'] ?? query.after
  if (given === undefined) return null
  const number = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw invalidField('after', 'it is a number of the log of events')
}
