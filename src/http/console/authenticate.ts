/**
 * Authentication of the console's requests, for three kinds of access: stranger, signed-in person, and member of the
 * company in the path.
 */
import type { FastifyRequest } from 'fastify'
import { clip } from '../../common/clip.ts'
import { addressGroup } from '../../ingress/admission/address-group.ts'
import { Strangers } from '../../ingress/admission/strangers.ts'
import { Fault } from '../../ingress/fault.ts'
import { type Caller, personIn } from '../../operate/authority.ts'
import { OperateError } from '../../operate/error.ts'
import { authenticateSession, findSession, type SessionTime } from '../../operate/sessions.ts'
import type { ConsoleSession, Person } from '../../people/person.ts'
import { personName } from '../../people/person.ts'
import type { HttpCore } from '../core.ts'
import type { CallerOf, PersonAccess, SignedIn } from '../endpoint.ts'
import { checkJson } from '../media-type.ts'
import { sessionToken } from './session/cookie.ts'

/**
 * Only the page's own script can set this header: scripts of other origins would need a preflight, which this service
 * never grants (CORS).
 */
const OWN_HEADER = 'x-postroad-console'
/**
 * Requests without a session share a quota per address group, apart from those of companies, so that no address takes
 * all places.
 */
const NOBODY = 'console: nobody from'
/** Stands in a URL for all companies, in place of a company's id. Only operators may use it. */
const ALL = 'all'

export class Authentication {
  readonly #core: HttpCore
  readonly #strangers = new Strangers()

  constructor(core: HttpCore) {
    this.#core = core
  }

  async authenticate<const Who extends PersonAccess>(
    request: FastifyRequest,
    access: Who,
  ): Promise<CallerOf<Who>> {
    return (await this.#authenticate(request, access)) as CallerOf<Who>
  }

  /** True while the session is valid and its person may still see the company (null: all). */
  async stillMay(token: string, company: string | null): Promise<boolean> {
    const found = await findSession(this.#core.deps.store, token, this.#time())
    if (found === null) return false
    const { operator, memberships } = found.person
    return operator || memberships.some(({ companyId }) => companyId === company)
  }

  #time(): SessionTime {
    return { now: Date.now(), lifetime: this.#core.deps.settings.sessionLifetime }
  }

  async #authenticate(request: FastifyRequest, access: PersonAccess): Promise<CallerOf<PersonAccess>> {
    const { raw } = request
    refuseForged(request, this.#core.publicUrl.urlOf(raw))
    const { admission, clientAddress } = this.#core
    const address = clientAddress.addressOf(raw)
    if (access === 'stranger') {
      admission.admit(raw, `${NOBODY} ${addressGroup(address)}`)
      return { address }
    }
    const { session, person } = await this.#signedIn(request, address)
    const company = access === 'company' ? companyOf(request) : null
    const caller = await this.#callerOf(person, access, company)
    admission.admit(raw, shareOf(person.id, caller))
    return { address, session, person, actingAs: caller, company } satisfies SignedIn
  }

  async #signedIn(
    request: FastifyRequest,
    address: string,
  ): Promise<{ session: ConsoleSession; person: Person }> {
    const token = sessionToken(this.#core, request.raw)
    if (token === null) throw signedOut('sign in first')
    let found: { session: ConsoleSession; person: Person } | null = null
    await this.#strangers.waitFor(address, async () => {
      found = await authenticateSession(this.#core.deps.store, token, this.#time())
    })
    return found ?? raise(signedOut('the session has ended: sign in again'))
  }

  async #callerOf(person: Person, access: PersonAccess, company: string | null): Promise<Caller | null> {
    if (access === 'person') return null
    const ref = { id: person.id, name: personName(person) }
    if (person.operator) {
      if (company !== null) await this.#requireCompany(company)
      return { kind: 'operator', person: ref }
    }
    if (access === 'operator') {
      throw new Fault({
        code: 'person_refused',
        status: 403,
        why: 'not_allowed',
        detail: 'only operators of this installation may do this',
      })
    }
    const membership = person.memberships.find(({ companyId }) => companyId === company)
    if (membership === undefined) throw noSuchCompany()
    return personIn(ref, membership.companyId, membership.role)
  }

  async #requireCompany(id: string): Promise<void> {
    const { accounts } = this.#core.deps
    const known = () => accounts.directory.companies().some((company) => company.id === id)
    if (known()) return
    await accounts.look()
    if (!known()) throw noSuchCompany()
  }
}

/**
 * Accepts changes only from the console's own page: SameSite keeps the cookie from other sites, but not from other
 * ports and subdomains of this one. Browsers state the origin of a request (Fetch Metadata, RFC 6454 7), and let no
 * other page set the own header, or send JSON, without a preflight.
 */
function refuseForged({ raw, method }: FastifyRequest, publicUrl: string): void {
  if (method === 'GET' || method === 'HEAD') return
  const { headers } = raw
  if (headers[OWN_HEADER] === undefined) throw forgeryFault(`the request has no header ${OWN_HEADER}`)
  const { 'sec-fetch-site': site, origin } = headers
  if (site !== undefined && site !== 'same-origin') throw forgeryFault('the request comes from another site')
  // Sec-Fetch-Site takes precedence over Origin, which is compared with Host: a proxy may have changed Host.
  if (site === undefined && origin !== undefined && !isOwn(origin, headers.host, publicUrl)) {
    throw forgeryFault(`the request comes from ${clip(origin)}`)
  }
  if (headers['content-type'] !== undefined) checkJson(headers['content-type'])
}

function isOwn(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.host === host?.toLowerCase() || url.origin === new URL(publicUrl).origin
}

function forgeryFault(why: string): Fault {
  const detail = `${why}: it did not come from the console`
  return new Fault({ code: 'person_refused', status: 403, why: 'forged', detail })
}

/**
 * The share of the service that a request counts towards: that of the company, which may have any number of people. It
 * differs from the share of the company's keys, so that viewing does not hold up sending.
 */
export function shareOf(personId: string, caller: Caller | null): string {
  return `console: ${caller?.kind === 'person' ? caller.principal.companyId : personId}`
}

function companyOf({ params }: FastifyRequest): string | null {
  const { company } = params as { company: string }
  return company === ALL ? null : company
}

function noSuchCompany(): OperateError {
  return new OperateError('not_found', 'there is no such company')
}

function signedOut(detail: string): Fault {
  return new Fault({ code: 'person_refused', status: 401, why: 'signed_out', detail })
}

function raise(error: Error): never {
  throw error
}
