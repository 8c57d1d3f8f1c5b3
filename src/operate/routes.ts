/** Relays that belong to a company or a domain. */
import { randomUUIDv7 } from 'node:crypto'
import type { Company, CustomRoute, SendingDomain } from '../accounts/account.ts'
import { type RouteCredentials, sealCredentials } from '../accounts/routes.ts'
import { parseRelay } from '../config/parse/delivery.ts'
import { SettingValueError } from '../config/parse/value-error.ts'
import { relayUrl } from '../config/relay-url.ts'
import type { AuditNote } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, findCompany, findDomain, listedAccounts } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** The owner of a route: exactly one of the two, by name or id. */
export interface RouteOwner {
  company?: string | undefined
  domain?: string | undefined
}

export interface OwnedRoute {
  route: CustomRoute
  company: Company
  /** Null: the route belongs to the company. */
  domain: SendingDomain | null
}

/**
 * From now on, sends the mail of a domain, or of all domains of a company without a route of their own, through this
 * relay. For operators, because a relay may be in a private network. `password` is used when the URL has none.
 */
export const setRoute = verb(
  'operate',
  async (op, input: RouteOwner & { url: string; password?: string | undefined }): Promise<OwnedRoute> => {
    const { company, domain } = ownerOf(op, input)
    const { url, credentials } = parsedRelay(input.url, input.password)
    const id = randomUUIDv7()
    const route: CustomRoute = {
      id,
      companyId: company.id,
      domainId: domain?.id ?? null,
      url,
      sealed: credentials && sealCredentials(await op.seal(), id, credentials),
      createdAt: op.now(),
    }
    await op.store.setRoute(route)
    return { route, company, domain }
  },
  {
    action: 'setRoute',
    note: (input, set) => ({
      ...routeNote(input, set),
      // The URL without user and password.
      ...(set && { detail: { url: set.route.url } }),
    }),
  },
)

/** From now on, the owner's mail takes the general route. */
export const removeRoute = verb(
  'operate',
  async (op, input: RouteOwner): Promise<Omit<OwnedRoute, 'route'>> => {
    const { company, domain } = ownerOf(op, input)
    if (await op.store.removeRoute({ companyId: company.id, domainId: domain?.id ?? null })) {
      return { company, domain }
    }
    const whose = domain === null ? `the company ${company.name}` : domain.name
    throw new OperateError('not_found', `${whose} has no route of its own`, { verb: 'listRoutes' })
  },
  { action: 'removeRoute', note: routeNote },
)

function routeNote(input: RouteOwner, owner: Omit<OwnedRoute, 'route'> | null): AuditNote {
  if (owner === null) return { target: input.domain ?? input.company ?? '' }
  const { company, domain } = owner
  return { target: domain?.name ?? company.name, companyId: company.id }
}

/** A member sees the routes of its own mail. */
export const listRoutes = verb('see', async (op, of: CompanyFilter): Promise<OwnedRoute[]> => {
  const { companies, domains, routes } = listedAccounts(op, of)
  return routes.flatMap((route) => {
    const company = companies.find(({ id }) => id === route.companyId)
    const domain = domains.find(({ id }) => id === route.domainId) ?? null
    return company === undefined ? [] : [{ route, company, domain }]
  })
})

function ownerOf(op: Operation, { company, domain }: RouteOwner): Omit<OwnedRoute, 'route'> {
  if (domain === undefined && company !== undefined)
    return { company: findCompany(op, company), domain: null }
  if (domain === undefined || company !== undefined) {
    throw new OperateError('invalid', 'a route belongs to a company or to a domain: name one of the two')
  }
  const found = findDomain(op, domain)
  return { company: findCompany(op, found.companyId), domain: found }
}

function parsedRelay(
  text: string,
  given: string | undefined,
): { url: string; credentials: RouteCredentials | null } {
  const relay = parsed(text)
  const { user, password } = relay
  const url = relayUrl(relay)
  if (user === null) {
    if (given === undefined) return { url, credentials: null }
    throw new OperateError('invalid', 'a password needs a user: smtp://user@host:587')
  }
  if (given !== undefined && password !== '') throw new OperateError('invalid', 'the password is given twice')
  const secret = given ?? password
  if (secret) return { url, credentials: { user, password: secret } }
  throw new OperateError('invalid', 'a user needs a password, but it is missing or empty')
}

function parsed(text: string) {
  try {
    return parseRelay(text)
  } catch (error) {
    if (!(error instanceof SettingValueError)) throw error
    throw new OperateError('invalid', `this route is not allowed: ${error.message}`, null, { cause: error })
  }
}
