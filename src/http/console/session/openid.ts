/**
 * Signing in by an OpenID Connect provider. It sends the browser back to the page, which hands on what came with it:
 * so the session's cookie need not be sent along from other sites.
 */
import { OpenIdProvider } from '../../../operate/openid-provider.ts'
import { beginOpenId, OPENID_LASTS, signInByOpenId } from '../../../operate/openid-sign-in.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { Fault } from '../../fault.ts'
import { ME, OPENID_RETURN, OPENID_START, SIGN_IN_WAYS } from '../contract/session.ts'
import { stepCookie, stepTicket } from './device-cookies.ts'
import { originOf, signedIn, unlessRefused } from './signing-in.ts'

const COOKIE = 'postroad_oidc'

export function openIdEndpoints(parts: SignInParts): Endpoint[] {
  let provider: OpenIdProvider | null = null
  /** Null: the settings name none. */
  const known = ({ deps: { settings, ask } }: HttpCore) => {
    if (settings.openid === null) return null
    provider ??= new OpenIdProvider(settings.openid, ask, settings.allowPrivateNetworks)
    return provider
  }
  const wanted = (core: HttpCore) => {
    const found = known(core)
    if (found !== null) return found
    throw new Fault({ code: 'path_unknown' })
  }

  const ways = endpoint({
    method: 'GET',
    url: '/console/api/session/ways',
    operation: 'console_sign_in_ways',
    access: 'stranger',
    schema: {
      operationId: 'readSignInWays',
      summary: 'How one can sign in here',
      response: { 200: SIGN_IN_WAYS },
    },
  })(async (_, core) => ({ status: 200, body: { openid: known(core)?.host ?? null } }))

  const begin = endpoint({
    method: 'POST',
    url: '/console/api/session/oidc',
    operation: 'console_openid_begin',
    access: 'stranger',
    schema: {
      operationId: 'beginOpenId',
      summary: 'Where the browser goes to prove who its person is',
      response: { 200: OPENID_START },
    },
  })(async ({ request }, core) => {
    const redirectUri = `${core.publicUrl.of(request.raw)}/console/sign-in`
    const { url, ticket } = await unlessRefused(beginOpenId(parts, wanted(core), redirectUri))
    const cookie = stepCookie(core, request.raw, COOKIE, ticket, OPENID_LASTS)
    return { status: 200, body: { url }, headers: { 'set-cookie': cookie } }
  })

  const end = endpoint({
    method: 'POST',
    url: '/console/api/session/oidc/return',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithOpenId',
      summary: 'Sign in with what the provider has sent the browser back with',
      body: OPENID_RETURN,
      response: { 200: ME },
    },
  })(async ({ body, request }, core) => {
    const given = { ticket: stepTicket(request.raw, COOKIE), query: body.query }
    const begun = await unlessRefused(signInByOpenId(parts, wanted(core), given, originOf(core, request)))
    return await signedIn(core, parts, request, begun, [stepCookie(core, request.raw, COOKIE, '', 0)])
  })

  return [ways, begin, end]
}
