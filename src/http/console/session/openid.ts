/**
 * Sign-in through an OpenID Connect provider. It redirects the browser to the page, which passes the query on: so the
 * session's cookie need not be sent with requests from other sites.
 */
import type { FastifyRequest } from 'fastify'
import {
  beginOpenId,
  OPENID_TICKET_MS,
  type OpenIdAnswer,
  signInByOpenId,
} from '../../../operate/openid-sign-in.ts'
import type { HttpCore } from '../../core.ts'
import type { OPENID_ROUTES } from '../contract/session.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { stepCookie, stepTicket } from './device-cookies.ts'
import { passwordMailer } from './new-password.ts'
import { originOf, refusalAsFault, signedIn } from './signing-in.ts'

const COOKIE = 'postroad_oidc'

/** The address that the provider redirects the browser to, for every purpose: it is registered with the provider. */
export function redirectUriOf({ publicUrl }: HttpCore, { raw }: FastifyRequest): string {
  return `${publicUrl.urlOf(raw)}/console/sign-in`
}

/** Sends the browser to the provider; it keeps the ticket in a cookie until it returns. */
export function redirectToProvider(
  core: HttpCore,
  { raw }: FastifyRequest,
  begun: { url: string; ticket: string },
) {
  const cookie = stepCookie(core, raw, COOKIE, begun.ticket, OPENID_TICKET_MS)
  return new ConsoleAnswer({ url: begun.url }, { headers: { 'set-cookie': cookie } })
}

export function answerOf(core: HttpCore, { raw }: FastifyRequest, query: string): OpenIdAnswer {
  return { ticket: stepTicket(core, raw, COOKIE), query }
}

/** Removes the cookie of a finished step. */
export function endedCookie(core: HttpCore, { raw }: FastifyRequest): string {
  return stepCookie(core, raw, COOKIE, '', 0)
}

export const openIdHandlers: Handlers<typeof OPENID_ROUTES> = {
  'GET /session/ways': async (_, core) => ({
    openid: core.provider.providerOf(core)?.host ?? null,
    forgotten: passwordMailer(core) !== null,
  }),

  'POST /session/oidc': async ({ request }, core) => {
    const begun = beginOpenId(core.signIn, core.provider.requireProvider(core), redirectUriOf(core, request))
    return redirectToProvider(core, request, await refusalAsFault(begun))
  },

  'POST /session/oidc/return': async ({ body, request }, core) => {
    const answer = answerOf(core, request, body.query)
    const begun = signInByOpenId(
      core.signIn,
      core.provider.requireProvider(core),
      answer,
      originOf(core, request),
    )
    return await signedIn(core, request, await refusalAsFault(begun), [endedCookie(core, request)])
  },
}
