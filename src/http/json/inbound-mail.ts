/** `POST /inbound/mail`: returned mail, handed in by a program. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { INBOUND_KINDS, INBOUND_OUTCOMES } from '../../email/inbound-mail.ts'
import { Refusal } from '../../intake/refusal.ts'
import { authoriseWhole } from '../../operate/authority.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import { object } from '../object-schema.ts'
import { describedRoute } from '../route.ts'

export const INBOUND_PATH = '/inbound/mail'

export const inboundDescription = describedRoute(`POST ${INBOUND_PATH}`, {
  access: 'management',
  operationId: 'receiveInboundMail',
  summary: 'Hand in a returned mail: a bounce, a complaint, an automatic reply',
  description:
    'The body is the message as it arrived (`message/rfc822`); its first MiB is read. For those who cannot receive mail over SMTP: their ' +
    'provider forwards it. It counts for emails of the company of the key alone, and only if it came to a valid return path (its header ' +
    'says so: To, Delivered-To), or the signature of the server that took the email proves it; `outcome` says what followed. A key for one domain may not do this.',
  consumes: ['message/rfc822'],
  body: { type: 'string', description: 'The message.' },
  answer: object({
    object: { const: 'inbound_mail' },
    id: { type: 'string' },
    kind: { enum: INBOUND_KINDS },
    outcome: { enum: INBOUND_OUTCOMES },
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
  const body = await readBody(request, reply.raw, core.limit)
  const { companyId, keyId } = caller
  const { id, kind, outcome, events, emailId } = await core.deps.receiveMail({
    raw: body,
    recipient: null,
    source: 'http',
    peer: keyId,
    companyId,
  })
  const answer = { object: 'inbound_mail', id, kind, outcome, events, email_id: emailId }
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(answer) }
}
