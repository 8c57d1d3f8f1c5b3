/**
 * `POST /emails/{id}/share` makes a link to a page that shows one email until the link expires; `GET` of the link is
 * that page. It shows the email in a frame without scripts and without an origin.
 */
import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../../intake/refusal.ts'
import { SERVICE } from '../../../operate/authority.ts'
import type { Answer, LongAnswer } from '../../answer.ts'
import { WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { LinkSignatures } from '../../link-signatures.ts'
import { object, orNull } from '../../object-schema.ts'
import { route } from '../../route.ts'
import { rawCopyOf, readIn } from '../../shown-emails/copy.ts'
import { frameAnswer, frameOfText } from '../../shown-emails/frame.ts'
import { withoutUnsubscribeLinks } from '../../shown-emails/unsubscribe-links.ts'
import { requireReadable, unknownEmail } from './find.ts'
import { sharedPage } from './shared-page.ts'

export const SHARE_PATH = '/emails/:id/share'

const HOUR = 3_600
const MAX_SECONDS = 48 * HOUR
const UNITS: ReadonlyMap<string, number> = new Map([
  ...['s', 'sec', 'second'].map((name) => [name, 1] as const),
  ...['m', 'min', 'minute'].map((name) => [name, 60] as const),
  ...['h', 'hour'].map((name) => [name, HOUR] as const),
  ...['d', 'day'].map((name) => [name, 24 * HOUR] as const),
])

/** The purpose in the derivation of the secret. */
const PURPOSE = 'shared emails'

export class SharedEmails {
  readonly #signatures: LinkSignatures
  readonly endpoint: Endpoint

  constructor(parts: HttpCore['deps']) {
    const signatures = new LinkSignatures(parts, PURPOSE, 'POST /emails/{id}/share')
    this.#signatures = signatures
    this.endpoint = shareEndpoint(signatures)
  }

  /** Throws a Fault for a link that this service did not sign, or that has expired. */
  async show(
    { raw, params, query }: FastifyRequest<ShareRoute>,
    core: HttpCore,
  ): Promise<Answer | LongAnswer> {
    const id = params.id.toLowerCase()
    // The signature is checked before any look-up, so that a forged link causes no work.
    const end = this.#signatures.check(id, query, Date.now())
    const origin = await core.deps.store.emailOrigin(id)
    if (origin === null) throw unknownEmail()
    // The request counts towards the share of the company whose email it is.
    core.admission.admit(raw, origin.companyId)
    const email = { id, origin, op: core.deps.operation(SERVICE) }
    const { message } = await rawCopyOf(core, raw, email, undefined)
    if (query.shown !== 'content') {
      const { head, trouble } = await readIn(core, email, message, { kind: 'head' })
      const link = this.#signatures.query(id, end)
      return sharedPage({ head, trouble, link, end, remote: query.remote === '1' })
    }
    const { preview } = await readIn(core, email, message, { kind: 'preview', signer: null })
    if (preview?.html) return frameAnswer(preview.html, query.remote === '1' ? 'web' : 'none')
    const { text, trouble } = await readIn(core, email, message, { kind: 'text' })
    const shown = trouble ?? text?.text ?? 'This email has no text.'
    return frameAnswer(frameOfText(withoutUnsubscribeLinks(shown)), 'none')
  }
}

export interface ShareRoute {
  Params: { id: string }
  Querystring: Record<string, unknown>
}

function shareEndpoint(signatures: LinkSignatures): Endpoint {
  return route(`POST ${SHARE_PATH}`, {
    operation: 'email_share',
    access: 'key',
    operationId: 'shareEmail',
    summary: 'Create a link that shows an email to anyone who has it, for up to 48 hours',
    description: 'The link cannot be revoked; it expires.',
    body: {
      type: 'object',
      properties: {
        expires_in: orNull({
          ...WORD,
          description: 'A number with s, m, h or d, e.g. `30m`; at most 48h. Default: 48h.',
        }),
      },
    },
    answer: object({ object: { const: 'email' }, id: { type: 'string' }, url: { type: 'string' } }),
  })(async ({ caller, params, body, request }, core) => {
    const seconds = secondsOf(body.expires_in ?? '48h')
    const { id } = await requireReadable(core.deps, caller, params.id)
    const link = signatures.query(id, Math.floor(Date.now() / 1000) + seconds)
    const url = `${core.apiUrl.urlOf(request.raw)}/emails/${id}/share?${link}`
    return { object: 'email', id, url }
  })
}

/** Throws a Refusal. */
function secondsOf(text: string): number {
  const [, number, name = ''] = /^(\d{1,6}) ?([a-z]{1,7})$/i.exec(text.trim()) ?? []
  const singular = name.length > 1 ? name.replace(/s$/i, '') : name
  const unit = UNITS.get(singular.toLowerCase())
  if (unit === undefined) {
    throw invalidField('expires_in', 'it must be a number with s, m, h or d, such as `24h`')
  }
  const seconds = Number(number) * unit
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds
  throw invalidField('expires_in', 'it must be between one second and 48 hours')
}
