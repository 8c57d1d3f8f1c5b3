/**
 * Sign-in through an OpenID Connect provider. It redirects the browser to the page, which passes the query on: so the
 * session's cookie need not be sent with requests from other sites.
 */
import type { FastifyRequest } from 'fastify'
import { OpenIdProvider } from '../../../operate/openid-provider.ts'
import {
  beginOpenId,
  OPENID_LASTS,
  type OpenIdAnswer,
  signInByOpenId,
} from '../../../operate/openid-sign-in.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { Fault } from '../../fault.ts'
import { ME, OPENID_RETURN, OPENID_START, SIGN_IN_WAYS } from '../contract/session.ts'
import { stepCookie, stepTicket } from './device-cookies.ts'
import { originOf, signedIn, unlessRefused } from './signing-in.ts'

const COOKIE = 'postroad_oidc'

/** The provider of an installation. */
export class KnownProvider {
  #made: OpenIdProvider | null = null

  /** Null: the settings name none. */
  of({ deps: { settings, ask } }: HttpCore): OpenIdProvider | null {
    if (settings.openid === null) return null
    this.#made ??= new OpenIdProvider(settings.openid, ask, settings.allowPrivateNetworks)
    return this.#made
  }

  wanted(core: HttpCore): OpenIdProvider {
    const found = this.of(core)
    if (found !== null) return found
    throw new Fault({ code: 'path_unknown' })
  }
}

/** The address that the provider redirects the browser to, for every purpose: it is registered with the provider. */
export function redirectUriOf({ publicUrl }: HttpCore, { raw }: FastifyRequest): string {
  return `${publicUrl.of(raw)}/console/sign-in`
}

/** Sends the browser to the provider; it keeps the ticket in a cookie until it returns. */
export function sentThere(core: HttpCore, { raw }: FastifyRequest, begun: { url: string; ticket: string }) {
  const cookie = stepCookie(core, raw, COOKIE, begun.ticket, OPENID_LASTS)
  return { status: 200 as const, body: { url: begun.url }, headers: { 'set-cookie': cookie } }
}

export function answerOf(core: HttpCore, { raw }: FastifyRequest, query: string): OpenIdAnswer {
  return { ticket: stepTicket(core, raw, COOKIE), query }
}

/** Removes the cookie of a finished step. */
export function endedCookie(core: HttpCore, { raw }: FastifyRequest): string {
  return stepCookie(core, raw, COOKIE, '', 0)
}

export function openIdEndpoints(parts: SignInParts, provider: KnownProvider): Endpoint[] {
  const ways = endpoint({
    method: 'GET',
    url: '/console/api/session/ways',
    operation: 'console_sign_in_ways',
    access: 'stranger',
    schema: {
      operationId: 'readSignInWays',
      summary: 'List the ways to sign in',
      response: { 200: SIGN_IN_WAYS },
    },
  })(async (_, core) => ({ status: 200, body: { openid: provider.of(core)?.host ?? null } }))

  const begin = endpoint({
    method: 'POST',
    url: '/console/api/session/oidc',
    operation: 'console_openid_begin',
    access: 'stranger',
    schema: {
      operationId: 'beginOpenId',
      summary: 'Get the URL for a sign-in with the provider',
      response: { 200: OPENID_START },
    },
  })(async ({ request }, core) => {
    const begun = beginOpenId(parts, provider.wanted(core), redirectUriOf(core, request))
    return sentThere(core, request, await unlessRefused(begun))
  })

  const end = endpoint({
    method: 'POST',
    url: '/console/api/session/oidc/return',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithOpenId',
      summary: 'Sign in with the answer of the provider',
      body: OPENID_RETURN,
      response: { 200: ME },
    },
  })(async ({ body, request }, core) => {
    const answer = answerOf(core, request, body.query)
    const begun = signInByOpenId(parts, provider.wanted(core), answer, originOf(core, request))
    return await signedIn(core, parts, request, await unlessRefused(begun), [endedCookie(core, request)])
  })

  return [ways, begin, end]
}
