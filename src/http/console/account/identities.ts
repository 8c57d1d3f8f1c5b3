/** Accounts of the OpenID Connect provider that are linked to the person's own account. */
import { beginIdentity, connectIdentity, removeIdentity } from '../../../operate/own-identities.ts'
import type { IDENTITY_ROUTES } from '../contract/account.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { answerOf, endedCookie, redirectToProvider, redirectUriOf } from '../session/openid.ts'
import { meOf } from '../session/session.ts'
import { originOf, refusalAsFault } from '../session/signing-in.ts'

export const identityHandlers: Handlers<typeof IDENTITY_ROUTES> = {
  'POST /account/identities/begin': async (call, core) => {
    const { signIn, provider } = core
    const { request } = call
    const begun = beginIdentity(signIn, call, provider.requireProvider(core), redirectUriOf(core, request))
    return redirectToProvider(core, request, await refusalAsFault(begun))
  },

  'POST /account/identities': async (call, core) => {
    const { signIn, provider } = core
    const { session, body, request } = call
    const answer = answerOf(core, request, body.query)
    const origin = originOf(core, request)
    const person = await refusalAsFault(
      connectIdentity(signIn, call, provider.requireProvider(core), answer, origin),
    )
    const headers = { 'set-cookie': endedCookie(core, request) }
    return new ConsoleAnswer(meOf(core, request.raw, { session, person }), { headers })
  },

  'DELETE /account/identities/:id': async (call, { signIn }) => {
    await refusalAsFault(removeIdentity(signIn, call, call.params.id))
    return {}
  },
}
