/** A person's own account: name, address, password, and the sessions that are signed in. */
import type { FastifyRequest } from 'fastify'
import type { Company } from '../../../accounts/account.ts'
import {
  changePassword,
  changeProfile,
  confirmPassword,
  endOwnSessions,
  isFresh,
  ownSessions,
} from '../../../operate/own-account.ts'
import { identityId } from '../../../operate/own-identities.ts'
import type { BegunSession } from '../../../operate/sessions.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import type { Person } from '../../../people/person.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { ACCOUNT, ID_PARAMS, NEW_PASSWORD, PROFILE_CHANGE, SESSIONS } from '../contract/account.ts'
import { ME } from '../contract/session.ts'
import { DONE } from '../contract/shapes.ts'
import { meOf } from '../session/session.ts'
import { originOf, sessionHeaders, unlessRefused } from '../session/signing-in.ts'

const time = (at: number) => new Date(at).toISOString()

function shownMemberships({ memberships }: Person, companies: readonly Company[]) {
  const own = new Map(memberships.map((membership) => [membership.companyId, membership]))
  return companies.flatMap(({ id, name }) => {
    const membership = own.get(id)
    if (membership === undefined) return []
    return [{ company: { id, name }, role: membership.role, confirmed: membership.unconfirmed !== true }]
  })
}

export function accountEndpoints(parts: SignInParts): Endpoint[] {
  /** The session that replaces the one of the request. */
  const continued = (core: HttpCore, request: FastifyRequest, begun: BegunSession) => ({
    status: 200 as const,
    body: meOf(core, request.raw, begun),
    headers: sessionHeaders(core, parts, request, begun),
  })

  const read = endpoint({
    method: 'GET',
    url: '/console/api/account',
    operation: 'console_account_read',
    access: 'person',
    schema: {
      operationId: 'readAccount',
      summary: 'With what you prove who you are',
      response: { 200: ACCOUNT },
    },
  })(async ({ caller }, { deps }) => {
    const { recoveryCodes, passkeys, identities } = caller.person.credentials
    const shown = passkeys.map(({ id, name, createdAt, usedAt }) => ({
      id,
      name,
      createdAt: time(createdAt),
      usedAt: usedAt === null ? null : time(usedAt),
    }))
    const body = {
      recoveryCodes: recoveryCodes.length,
      passkeys: shown,
      identities: identities.map((identity) => ({
        id: identityId(identity),
        provider: new URL(identity.issuer).host,
        address: identity.address ?? null,
        createdAt: identity.createdAt === undefined ? null : time(identity.createdAt),
      })),
      memberships: shownMemberships(caller.person, deps.accounts.directory.companies()),
      fresh: isFresh(caller, parts.clock.now()),
    }
    return { status: 200, body }
  })

  const change = endpoint({
    method: 'PATCH',
    url: '/console/api/account',
    operation: 'console_account_change',
    access: 'person',
    schema: {
      operationId: 'changeProfile',
      summary: 'Change your name, or the address you sign in with',
      body: PROFILE_CHANGE,
      response: { 200: ME },
    },
  })(async ({ caller, body, request }, core) => {
    const person = await unlessRefused(changeProfile(parts, caller, body))
    return { status: 200, body: meOf(core, request.raw, { ...caller, person }) }
  })

  const confirm = endpoint({
    method: 'POST',
    url: '/console/api/account/proof',
    operation: 'console_account_proof',
    access: 'person',
    schema: {
      operationId: 'confirmPassword',
      summary: 'Confirm your password before a change that requires it',
      body: NEW_PASSWORD,
      response: { 200: ME },
    },
  })(async ({ caller, body, request }, core) => {
    const begun = await unlessRefused(confirmPassword(parts, caller, body.password, originOf(core, request)))
    return continued(core, request, begun)
  })

  const password = endpoint({
    method: 'PUT',
    url: '/console/api/account/password',
    operation: 'console_password_change',
    access: 'person',
    schema: {
      operationId: 'changePassword',
      summary: 'Set a password and end all other sessions',
      body: NEW_PASSWORD,
      response: { 200: ME },
    },
  })(async ({ caller, body, request }, core) => {
    const begun = await unlessRefused(changePassword(parts, caller, body.password, originOf(core, request)))
    return continued(core, request, begun)
  })

  const sessions = endpoint({
    method: 'GET',
    url: '/console/api/account/sessions',
    operation: 'console_sessions_list',
    access: 'person',
    schema: { operationId: 'listSessions', summary: 'List your sessions', response: { 200: SESSIONS } },
  })(async ({ caller }) => {
    const listed = await ownSessions(parts, caller)
    const shown = listed.map(({ id, way, address, userAgent, createdAt, seenAt }) => ({
      id,
      current: id === caller.session.id,
      way,
      address,
      userAgent,
      createdAt: time(createdAt),
      seenAt: time(seenAt),
    }))
    return { status: 200, body: { sessions: shown } }
  })

  const endSession = endpoint({
    method: 'DELETE',
    url: '/console/api/account/sessions/:id',
    operation: 'console_session_end',
    access: 'person',
    schema: {
      operationId: 'endSession',
      summary: 'End one of your sessions',
      params: ID_PARAMS,
      response: { 200: DONE },
    },
  })(async ({ caller, params }) => {
    await endOwnSessions(parts, caller, params.id)
    return { status: 200, body: {} }
  })

  const endOthers = endpoint({
    method: 'DELETE',
    url: '/console/api/account/sessions',
    operation: 'console_sessions_end',
    access: 'person',
    schema: {
      operationId: 'endOtherSessions',
      summary: 'End all your other sessions',
      response: { 200: DONE },
    },
  })(async ({ caller }) => {
    await endOwnSessions(parts, caller, null)
    return { status: 200, body: {} }
  })

  return [read, change, confirm, password, sessions, endSession, endOthers]
}
