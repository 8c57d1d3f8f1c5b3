/** Passkeys in the terms of WebAuthn: the options for the browser, and its response. */
import type { FastifyRequest } from 'fastify'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  CHALLENGE_LASTS,
  type PasskeyAsked,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from '../../../operate/passkeys.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import { relyingParty } from '../../../people/passkeys.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import {
  ID_PARAMS,
  NEW_PASSKEY,
  PASSKEY_NAME,
  PASSKEY_OPTIONS,
  PASSKEY_SIGN_IN,
} from '../contract/account.ts'
import { ME } from '../contract/session.ts'
import { DONE } from '../contract/shapes.ts'
import { stepCookie, stepTicket } from '../session/device-cookies.ts'
import { meOf } from '../session/session.ts'
import { originOf, signedIn, unlessRefused } from '../session/signing-in.ts'

const COOKIE = 'postroad_passkey'

const partyOf = ({ publicUrl }: HttpCore, { raw }: FastifyRequest) => relyingParty(publicUrl.of(raw))

/** The browser keeps the ticket in a cookie until it answers. */
const asked = (core: HttpCore, { raw }: FastifyRequest, { options, ticket }: PasskeyAsked) => ({
  status: 200 as const,
  body: { options: { ...options } },
  headers: { 'set-cookie': stepCookie(core, raw, COOKIE, ticket, CHALLENGE_LASTS) },
})

export function passkeyEndpoints(parts: SignInParts): Endpoint[] {
  const beginSignIn = endpoint({
    method: 'POST',
    url: '/console/api/session/passkey/options',
    operation: 'console_passkey_ask',
    access: 'stranger',
    schema: {
      operationId: 'beginPasskeySignIn',
      summary: 'Get the challenge that a passkey signs',
      response: { 200: PASSKEY_OPTIONS },
    },
  })(async ({ request }, core) =>
    asked(core, request, await beginPasskeySignIn(parts, partyOf(core, request))),
  )

  const signIn = endpoint({
    method: 'POST',
    url: '/console/api/session/passkey',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      body: PASSKEY_SIGN_IN,
      response: { 200: ME },
    },
  })(async ({ body, request }, core) => {
    const given = { ticket: stepTicket(core, request.raw, COOKIE), response: body.response }
    const party = partyOf(core, request)
    const begun = await unlessRefused(signInByPasskey(parts, party, given, originOf(core, request)))
    return await signedIn(core, parts, request, begun, [stepCookie(core, request.raw, COOKIE, '', 0)])
  })

  const begin = endpoint({
    method: 'POST',
    url: '/console/api/account/passkeys/options',
    operation: 'console_passkey_begin',
    access: 'person',
    schema: {
      operationId: 'beginPasskey',
      summary: 'Get the options for a new passkey',
      response: { 200: PASSKEY_OPTIONS },
    },
  })(async ({ caller, request }, core) =>
    asked(core, request, await unlessRefused(beginPasskey(parts, caller, partyOf(core, request)))),
  )

  const add = endpoint({
    method: 'POST',
    url: '/console/api/account/passkeys',
    operation: 'console_passkey_add',
    access: 'person',
    schema: {
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      body: NEW_PASSKEY,
      response: { 200: ME },
    },
  })(async ({ caller, body, request }, core) => {
    const { raw } = request
    const given = { ...body, ticket: stepTicket(core, raw, COOKIE) }
    const person = await unlessRefused(addPasskey(parts, caller, partyOf(core, request), given))
    const headers = { 'set-cookie': stepCookie(core, raw, COOKIE, '', 0) }
    return { status: 200, body: meOf(core, raw, { ...caller, person }), headers }
  })

  const rename = endpoint({
    method: 'PATCH',
    url: '/console/api/account/passkeys/:id',
    operation: 'console_passkey_rename',
    access: 'person',
    schema: {
      operationId: 'renamePasskey',
      summary: 'Rename a passkey',
      params: ID_PARAMS,
      body: PASSKEY_NAME,
      response: { 200: DONE },
    },
  })(async ({ caller, params, body }) => {
    await unlessRefused(renamePasskey(parts, caller, { ...params, ...body }))
    return { status: 200, body: {} }
  })

  const remove = endpoint({
    method: 'DELETE',
    url: '/console/api/account/passkeys/:id',
    operation: 'console_passkey_remove',
    access: 'person',
    schema: {
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      params: ID_PARAMS,
      response: { 200: DONE },
    },
  })(async ({ caller, params }) => {
    await unlessRefused(removePasskey(parts, caller, params.id))
    return { status: 200, body: {} }
  })

  return [beginSignIn, signIn, begin, add, rename, remove]
}
