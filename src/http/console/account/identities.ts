/** Accounts of the OpenID Connect provider that are linked to the person's own account. */
import { beginIdentity, connectIdentity, removeIdentity } from '../../../operate/own-identities.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { ID_PARAMS } from '../contract/account.ts'
import { ME, OPENID_RETURN, OPENID_START } from '../contract/session.ts'
import { DONE } from '../contract/shapes.ts'
import { answerOf, endedCookie, type KnownProvider, redirectUriOf, sentThere } from '../session/openid.ts'
import { meOf } from '../session/session.ts'
import { originOf, unlessRefused } from '../session/signing-in.ts'

export function identityEndpoints(parts: SignInParts, provider: KnownProvider): Endpoint[] {
  const begin = endpoint({
    method: 'POST',
    url: '/console/api/account/identities/begin',
    operation: 'console_identity_begin',
    access: 'person',
    schema: {
      operationId: 'beginIdentity',
      summary: 'Get the URL at which the provider proves the account to connect with yours',
      response: { 200: OPENID_START },
    },
  })(async ({ caller, request }, core) => {
    const begun = beginIdentity(parts, caller, provider.wanted(core), redirectUriOf(core, request))
    return sentThere(core, request, await unlessRefused(begun))
  })

  const connect = endpoint({
    method: 'POST',
    url: '/console/api/account/identities',
    operation: 'console_identity_connect',
    access: 'person',
    schema: {
      operationId: 'connectIdentity',
      summary: 'Connect the account that the provider has proved, so that it can sign you in',
      body: OPENID_RETURN,
      response: { 200: ME },
    },
  })(async ({ caller, body, request }, core) => {
    const answer = answerOf(core, request, body.query)
    const origin = originOf(core, request)
    const person = await unlessRefused(connectIdentity(parts, caller, provider.wanted(core), answer, origin))
    const headers = { 'set-cookie': endedCookie(core, request) }
    return { status: 200, body: meOf(core, request.raw, { ...caller, person }), headers }
  })

  const remove = endpoint({
    method: 'DELETE',
    url: '/console/api/account/identities/:id',
    operation: 'console_identity_remove',
    access: 'person',
    schema: {
      operationId: 'removeIdentity',
      summary: 'Disconnect an account of the provider',
      params: ID_PARAMS,
      response: { 200: DONE },
    },
  })(async ({ caller, params }) => {
    await unlessRefused(removeIdentity(parts, caller, params.id))
    return { status: 200, body: {} }
  })

  return [begin, connect, remove]
}
