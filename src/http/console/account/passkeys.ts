/** Passkeys in the terms of WebAuthn: the options for the browser, and its response. */
import type { FastifyRequest } from 'fastify'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  CHALLENGE_MS,
  type PasskeyChallenge,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from '../../../operate/passkeys.ts'
import { relyingParty } from '../../../people/passkeys.ts'
import type { HttpCore } from '../../core.ts'
import type { PASSKEY_ROUTES } from '../contract/account.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { stepCookie, stepTicket } from '../session/device-cookies.ts'
import { meOf } from '../session/session.ts'
import { originOf, refusalAsFault, signedIn } from '../session/signing-in.ts'

const COOKIE = 'postroad_passkey'

const partyOf = ({ publicUrl }: HttpCore, { raw }: FastifyRequest) => relyingParty(publicUrl.urlOf(raw))

/** The browser keeps the ticket in a cookie until it answers. */
const asked = (core: HttpCore, { raw }: FastifyRequest, { options, ticket }: PasskeyChallenge) =>
  new ConsoleAnswer(
    { options: { ...options } },
    { headers: { 'set-cookie': stepCookie(core, raw, COOKIE, ticket, CHALLENGE_MS) } },
  )

export const passkeyHandlers: Handlers<typeof PASSKEY_ROUTES> = {
  'POST /session/passkey/options': async ({ request }, core) =>
    asked(core, request, await beginPasskeySignIn(core.signIn, partyOf(core, request))),

  'POST /session/passkey': async ({ body, request }, core) => {
    const given = { ticket: stepTicket(core, request.raw, COOKIE), response: body.response }
    const party = partyOf(core, request)
    const newSession = await refusalAsFault(
      signInByPasskey(core.signIn, party, given, originOf(core, request)),
    )
    return await signedIn(core, request, newSession, [stepCookie(core, request.raw, COOKIE, '', 0)])
  },

  'POST /account/passkeys/options': async (call, core) => {
    const { request } = call
    return asked(core, request, await refusalAsFault(beginPasskey(core.signIn, call, partyOf(core, request))))
  },

  'POST /account/passkeys': async (call, core) => {
    const { session, body, request } = call
    const { raw } = request
    const given = { ...body, ticket: stepTicket(core, raw, COOKIE) }
    const person = await refusalAsFault(addPasskey(core.signIn, call, partyOf(core, request), given))
    const headers = { 'set-cookie': stepCookie(core, raw, COOKIE, '', 0) }
    return new ConsoleAnswer(meOf(core, raw, { session, person }), { headers })
  },

  'PATCH /account/passkeys/:id': async (call, { signIn }) => {
    await refusalAsFault(renamePasskey(signIn, call, { ...call.params, ...call.body }))
    return {}
  },

  'DELETE /account/passkeys/:id': async (call, { signIn }) => {
    await refusalAsFault(removePasskey(signIn, call, call.params.id))
    return {}
  },
}
