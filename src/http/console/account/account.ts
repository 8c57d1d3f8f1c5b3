/** A person's own account: name, address, password, and the sessions that are signed in. */
import type { FastifyRequest } from 'fastify'
import { type Company, nameFor } from '../../../accounts/account.ts'
import {
  changePassword,
  changeProfile,
  confirmPassword,
  endOwnSessions,
  isFresh,
  ownSessions,
} from '../../../operate/own-account.ts'
import { identityId } from '../../../operate/own-identities.ts'
import type { NewSession } from '../../../operate/sessions.ts'
import type { Person } from '../../../people/person.ts'
import type { ACCOUNT_ROUTES } from '../contract/account.ts'
import type { ConsoleCore } from '../core.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { meOf } from '../session/session.ts'
import { originOf, refusalAsFault, sessionHeaders } from '../session/signing-in.ts'

const time = (at: number) => new Date(at).toISOString()

function membershipsJson({ memberships, operator }: Person, companies: readonly Company[]) {
  const own = new Map(memberships.map((membership) => [membership.companyId, membership]))
  return companies.flatMap((company) => {
    const { id } = company
    const membership = own.get(id)
    if (membership === undefined) return []
    return [
      {
        company: { id, name: nameFor(operator, company) },
        role: membership.role,
        confirmed: membership.unconfirmed !== true,
      },
    ]
  })
}

/** The session that replaces the one of the request. */
function newSessionAnswer(core: ConsoleCore, request: FastifyRequest, newSession: NewSession) {
  return new ConsoleAnswer(meOf(core, request.raw, newSession), {
    headers: sessionHeaders(core, request, newSession),
  })
}

export const accountHandlers: Handlers<typeof ACCOUNT_ROUTES> = {
  'GET /account': async ({ person, session }, { deps, signIn }) => {
    const { recoveryCodes, passkeys, identities } = person.credentials
    const shown = passkeys.map(({ id, name, createdAt, usedAt }) => ({
      id,
      name,
      createdAt: time(createdAt),
      usedAt: usedAt === null ? null : time(usedAt),
    }))
    return {
      recoveryCodes: recoveryCodes.length,
      passkeys: shown,
      identities: identities.map((identity) => ({
        id: identityId(identity),
        provider: new URL(identity.issuer).host,
        address: identity.address ?? null,
        createdAt: identity.createdAt === undefined ? null : time(identity.createdAt),
      })),
      memberships: membershipsJson(person, deps.accounts.directory.companies()),
      fresh: isFresh({ session }, signIn.clock.now()),
    }
  },

  'PATCH /account': async (call, core) => {
    const person = await refusalAsFault(changeProfile(core.signIn, call, call.body))
    return meOf(core, call.request.raw, { session: call.session, person })
  },

  'POST /account/proof': async (call, core) => {
    const { body, request } = call
    const origin = originOf(core, request)
    const newSession = await refusalAsFault(confirmPassword(core.signIn, call, body.password, origin))
    return newSessionAnswer(core, request, newSession)
  },

  'PUT /account/password': async (call, core) => {
    const { body, request } = call
    const origin = originOf(core, request)
    const newSession = await refusalAsFault(changePassword(core.signIn, call, body.password, origin))
    return newSessionAnswer(core, request, newSession)
  },

  'GET /account/sessions': async (call, { signIn }) => {
    const listed = await ownSessions(signIn, call)
    const shown = listed.map(({ id, way, address, userAgent, createdAt, seenAt }) => ({
      id,
      current: id === call.session.id,
      way,
      address,
      userAgent,
      createdAt: time(createdAt),
      seenAt: time(seenAt),
    }))
    return { sessions: shown }
  },

  'DELETE /account/sessions/:id': async (call, { signIn }) => {
    await endOwnSessions(signIn, call, call.params.id)
    return {}
  },

  'DELETE /account/sessions': async (call, { signIn }) => {
    await endOwnSessions(signIn, call, null)
    return {}
  },
}
