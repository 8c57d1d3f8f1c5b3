/** `POST /inbound/mail`: returned mail that a program hands in. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { INBOUND_KINDS, INBOUND_OUTCOMES } from '../../email/inbound-mail.ts'
import type { ArrivedMail, ReceivedMail } from '../../inbound/arrived-mail.ts'
import { TooManyHandedIn } from '../../inbound/handed-in-mail.ts'
import { ClientGone, Fault } from '../../ingress/fault.ts'
import { Refusal } from '../../intake/refusal.ts'
import { authoriseWhole } from '../../operate/authority.ts'
import { receivedMailJson } from '../../operate/shapes/returned-mail.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import type { ErrorBody } from '../error-body.ts'
import { object } from '../object-schema.ts'
import { describedRoute } from '../route.ts'

export const INBOUND_PATH = '/inbound/mail'

/** Seconds after which a mail whose signature could not be checked may be handed in again. */
const PUT_OFF = 300

export const inboundDescription = describedRoute(`POST ${INBOUND_PATH}`, {
  access: 'management',
  operationId: 'receiveInboundMail',
  summary: 'Hand in a returned mail: a bounce, a complaint, an automatic reply',
  description:
    'The body is the message as it arrived (`message/rfc822`); its first MiB is read. For services that cannot receive mail over SMTP: ' +
    'the provider forwards it. It counts for emails of the company of the key alone, and only if it came to a valid return path (its header ' +
    'says so: To, Delivered-To), or the signature of the server that took the email proves it; `outcome` says what followed. While the ' +
    'service is busy with sending, a mail waits for up to five seconds, and is then refused with 429 and `Retry-After`, as are mails beyond ' +
    'the 100 of a company that may wait: hand them in again. The same holds for 503, when a signature cannot be checked because DNS does not ' +
    'answer; the mail is kept, and counts for nothing until then. A key for one domain may not do this.',
  consumes: ['message/rfc822'],
  body: { type: 'string', description: 'The message.' },
  answer: object({
    object: { const: 'inbound_mail' },
    id: { type: 'string' },
    kind: { enum: INBOUND_KINDS },
    outcome: { enum: INBOUND_OUTCOMES },
    note: {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'Why a report about a domain was not counted.',
    },
    events: { type: 'integer', description: 'Events that were recorded for it now.' },
    email_id: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'The email that it is about.' },
  }),
})

export async function receiveInboundMail(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  caller: Principal,
  core: HttpCore,
): Promise<Answer> {
  if (!caller.scopes.has('management')) throw new Refusal({ code: 'scope_missing', scope: 'management' })
  authoriseWhole({ kind: 'member', principal: caller })
  const { companyId, keyId } = caller
  const handedIn = receiveHandedIn(companyId, reply.raw, core, async () => {
    const raw = await readBody(request, reply.raw, core.limit)
    return { raw, recipient: null, source: 'http', peer: keyId, companyId }
  })
  const received = await handedIn
  if (received.putOff) return putOffAnswer(received.id)
  const answer = { object: 'inbound_mail', ...receivedMailJson(received) }
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(answer) }
}

/** The mail is kept, but a fault of DNS must not cost a genuine report: programs try again after a 503. */
function putOffAnswer(id: string): Answer {
  const message =
    'The signature of this mail cannot be checked, because DNS does not answer now. ' +
    `It is kept as ${id}; hand it in again later.`
  const body = JSON.stringify({ statusCode: 503, message, name: 'application_error' } satisfies ErrorBody)
  return { status: 503, type: JSON_TYPE, body, headers: { 'retry-after': String(PUT_OFF) } }
}

/** Reads the mail when its turn comes. Until then nothing is read, so the connection holds the client back. */
async function receiveHandedIn(
  companyId: string,
  response: ServerResponse,
  { deps }: HttpCore,
  read: () => Promise<ArrivedMail>,
): Promise<ReceivedMail> {
  const leaving = new AbortController()
  const leave = () => leaving.abort(new ClientGone('the client left before the turn of its mail'))
  response.once('close', leave)
  if (response.destroyed) leave()
  try {
    return await deps.handedInMail.receive(companyId, leaving.signal, read)
  } catch (error) {
    if (!(error instanceof TooManyHandedIn)) throw error
    throw new Fault({ code: 'too_much_under_way', retryAfter: error.retryAfter })
  } finally {
    response.off('close', leave)
  }
}
