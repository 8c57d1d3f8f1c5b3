/** The session: the signed-in person, and signing out. */
import type { IncomingMessage } from 'node:http'
import { signOut as endSession } from '../../../operate/sessions.ts'
import type { Person, Session } from '../../../people/person.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { ME } from '../contract/session.ts'
import { DONE } from '../contract/shapes.ts'
import { smtpEndpoints } from '../smtp-endpoints.ts'
import { sessionCookie } from './cookie.ts'

/** The page's information on its user. */
export function meOf(
  { deps, apiUrl }: HttpCore,
  request: IncomingMessage,
  { person, session }: { person: Person; session: Session },
) {
  const { id, address, name, operator, credentials, memberships } = person
  const url = apiUrl.of(request)
  const roles = new Map(memberships.map(({ companyId, role }) => [companyId, role]))
  const companies = deps.accounts.directory.companies().flatMap((company) => {
    const role = operator ? 'operator' : roles.get(company.id)
    return role === undefined ? [] : [{ id: company.id, name: company.name, role } as const]
  })
  return {
    person: {
      id,
      address,
      name,
      operator,
      password: credentials.password !== null,
      totp: credentials.totp !== null,
      passkeys: credentials.passkeys.length,
      identities: credentials.identities.length,
    },
    session: { id: session.id, way: session.way },
    companies,
    installation: {
      version: deps.version,
      delivery: deps.settings.delivery.kind,
      url,
      smtp: smtpEndpoints(deps.settings, url),
    },
  }
}

const readSession = endpoint({
  method: 'GET',
  url: '/console/api/session',
  operation: 'console_session_read',
  access: 'person',
  schema: { operationId: 'readSession', summary: 'Get the signed-in person', response: { 200: ME } },
})(async ({ caller, request }, core) => ({ status: 200, body: meOf(core, request.raw, caller) }))

const signOut = endpoint({
  method: 'DELETE',
  url: '/console/api/session',
  operation: 'console_sign_out',
  access: 'person',
  schema: { operationId: 'signOut', summary: 'Sign out', response: { 200: DONE } },
})(async ({ caller, request }, core) => {
  await endSession(core.deps.store, caller, Date.now())
  return { status: 200, body: {}, headers: { 'set-cookie': sessionCookie(core, request.raw, '', 0) } }
})

export const sessionEndpoints: readonly Endpoint[] = [readSession, signOut]
