/** The stream of changes. Its route is registered by hand because its answer has no end. */
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
  // Without this, closing the server would wait for open streams.
  app.addHook('preClose', async () => streams.close())
  const work = async (request: FastifyRequest<LiveRoute>): Promise<OpenAnswer> => {
    const { caller, company, person } = await authentication.authenticate(request, 'company')
    authorise(caller, 'read')
    const after = seen(request)
    const leave = streams.reserve(person.id, shareOf(person.id, caller))
    const token = sessionToken(core, request.raw)!
    return {
      type: 'text/event-stream; charset=utf-8',
      // Otherwise nginx buffers the stream.
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

/** The last event that the client has seen: sent when an interrupted stream is resumed, or a new one is opened. */
function seen({ headers, query }: FastifyRequest<LiveRoute>): number | null {
  const given = headers['last-event-id'] ?? query.after
  if (given === undefined) return null
  const number = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw invalidField('after', 'it must be an event number')
}
