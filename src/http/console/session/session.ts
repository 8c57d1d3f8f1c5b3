/** The session: the signed-in person, and signing out. */
import type { IncomingMessage } from 'node:http'
import { nameFor } from '../../../accounts/account.ts'
import { signOut as endSession } from '../../../operate/sessions.ts'
import type { ConsoleSession, Person } from '../../../people/person.ts'
import type { HttpCore } from '../../core.ts'
import type { SESSION_ROUTES } from '../contract/session.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { smtpEndpoints, smtpSuggestion } from '../smtp-endpoints.ts'
import { sessionCookie } from './cookie.ts'

/** The page's information on its user. */
export function meOf(
  core: HttpCore,
  request: IncomingMessage,
  { person, session }: { person: Person; session: ConsoleSession },
) {
  const { deps, apiUrl } = core
  const { id, address, name, operator, credentials, memberships, alerts } = person
  const url = apiUrl.urlOf(request)
  const roles = new Map(memberships.map(({ companyId, role }) => [companyId, role]))
  const companies = deps.accounts.directory.companies().flatMap((company) => {
    const { id, logo = null } = company
    const role = operator ? 'operator' : roles.get(id)
    const name = nameFor(operator, company)
    return role === undefined ? [] : [{ id, name, logo, role } as const]
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
      alerts: [...alerts],
    },
    session: { id: session.id, way: session.way },
    companies,
    installation: {
      version: deps.version,
      delivery: deps.settings.delivery.kind,
      mails: deps.systemMail !== null,
      url,
      smtp: smtpEndpoints(core, { url, companies }),
      smtpSuggestion: smtpSuggestion(core, { url, companies }),
    },
  }
}

export const sessionHandlers: Handlers<typeof SESSION_ROUTES> = {
  'GET /session': async (call, core) => meOf(core, call.request.raw, call),

  'DELETE /session': async (call, core) => {
    await endSession(core.deps.store, call, Date.now())
    return new ConsoleAnswer({}, { headers: { 'set-cookie': sessionCookie(core, call.request.raw, '', 0) } })
  },
}
