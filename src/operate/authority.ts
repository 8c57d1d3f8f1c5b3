/** Which callers may call which verb, and which objects they may see and change. */
import { type AccountsSnapshot, type Principal, type Scope, shownName } from '../accounts/account.ts'
import { type EmailOrigin, isOwn } from '../accounts/reading.ts'
import type { Role } from '../people/person.ts'
import { OperateError } from './error.ts'

/** The part of a person that verbs need. */
export interface PersonRef {
  id: string
  /** The person's name as shown to others: an address or a name. */
  name: string
}

/** The rights of a caller in a company, and where they hold: in all of it, or in one domain. */
export type Reach = Pick<Principal, 'companyId' | 'scopes' | 'domainId'>

/**
 * The caller of a verb.
 * - `operator`: acts above all companies; `person` is null for the command line and for the service itself.
 * - `member`: the holder of an API key, limited to the key's company and scopes.
 * - `person`: a signed-in person acting in one of their companies, limited by their role there.
 */
export type Caller =
  | { kind: 'operator'; person: PersonRef | null; isService?: true }
  | { kind: 'member'; principal: Principal }
  | { kind: 'person'; person: PersonRef; role: Role; principal: Reach }

/** The caller at the command line. */
export const OPERATOR: Caller = { kind: 'operator', person: null }
/** The service itself, when it fills an empty database. */
export const SERVICE: Caller = { kind: 'operator', person: null, isService: true }

const SCOPES_OF: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set<Scope>(['sending', 'reading', 'management']),
  developer: new Set<Scope>(['sending', 'reading', 'management']),
  viewer: new Set<Scope>(['reading']),
}

/** The caller for a person who has signed in, acting in one of their companies. */
export function personIn(person: PersonRef, companyId: string, role: Role): Caller {
  return { kind: 'person', person, role, principal: { companyId, scopes: SCOPES_OF[role], domainId: null } }
}

/** The caller and all accounts. The functions below and `find.ts` decide which of the accounts the caller may see. */
export interface CallerContext {
  caller: Caller
  accounts: AccountsSnapshot
}

/**
 * The right that a verb requires of its caller; an operator has all of them.
 * - `see`: sees the setup of a company. For members with the scope `reading` or `management`.
 * - `read`: sees the company's emails and their status. For members with the scope `reading`.
 * - `manage`: changes a company's setup, and cancels or retries its mail. For members with the scope `management`.
 * - `own`: decides who belongs to a company. For its owners.
 * - `operate`: acts on more than one company, or on decisions of the operator that a company must not revoke.
 */
export type Right = 'see' | 'read' | 'manage' | 'own' | 'operate'

const SCOPES: Readonly<Record<Exclude<Right, 'own' | 'operate'>, readonly Scope[]>> = {
  see: ['reading', 'management'],
  read: ['reading'],
  manage: ['management'],
}

/** Whether the caller has a right, regardless of the object. */
export function may(caller: Caller, right: Right): boolean {
  if (caller.kind === 'operator') return true
  if (right === 'operate') return false
  if (right === 'own') return caller.kind === 'person' && caller.role === 'owner'
  return SCOPES[right].some((scope) => caller.principal.scopes.has(scope))
}

/** Throws `not_allowed`. Must be called before any look-up, so that the error does not reveal which objects exist. */
export function authorise(caller: Caller, right: Right): void {
  if (caller.kind === 'operator' || may(caller, right)) return
  if (right === 'operate') throw new OperateError('not_allowed', 'only the operator may do this')
  if (right === 'own') throw new OperateError('not_allowed', 'only an owner of the company may do this')
  throw new OperateError(
    'not_allowed',
    caller.kind === 'person'
      ? `a ${caller.role} of the company may not do this: ask one of its owners`
      : `this key lacks the scope ${SCOPES[right].join(' or ')}`,
  )
}

/**
 * The accounts that a caller may see: a member sees those of its company, under the name that its people see, or of
 * one domain if its key is restricted to it.
 */
export function visibleAccounts({ caller, accounts }: CallerContext): AccountsSnapshot {
  if (caller.kind === 'operator') return accounts
  const { companyId, domainId } = caller.principal
  const all = accountsOf(accounts, companyId)
  const own = { ...all, companies: all.companies.map((each) => ({ ...each, name: shownName(each) })) }
  if (domainId === null) return own
  return {
    companies: own.companies,
    domains: own.domains.filter(({ id }) => id === domainId),
    removedDomains: [],
    keys: own.keys.filter((key) => key.domainId === domainId),
    // The route of the company also serves a domain that has none of its own.
    routes: own.routes.filter((route) => route.domainId === null || route.domainId === domainId),
    pools: own.pools,
  }
}

export function accountsOf(accounts: AccountsSnapshot, companyId: string): AccountsSnapshot {
  const own = (each: { companyId: string }) => each.companyId === companyId
  const companies = accounts.companies.filter(({ id }) => id === companyId)
  const domains = accounts.domains.filter(own)
  const pools = new Set([
    ...companies.map(({ pool }) => pool),
    ...domains.map(({ settings }) => settings.pool),
  ])
  return {
    companies,
    domains,
    removedDomains: [],
    keys: accounts.keys.filter(own),
    routes: accounts.routes.filter(own),
    pools: accounts.pools.filter(({ name }) => pools.has(name)),
  }
}

/** Throws `not_allowed` when the caller's key is for one domain only. For verbs that act on the whole company. */
export function authoriseWhole(caller: Caller): void {
  if (caller.kind === 'operator' || caller.principal.domainId === null) return
  throw new OperateError(
    'not_allowed',
    'this key is for one domain only, but this requires access to the whole company',
  )
}

/** Whether the caller may see an email with this origin. */
export function maySee(caller: Caller, origin: EmailOrigin): boolean {
  return caller.kind === 'operator' || isOwn(caller.principal, origin)
}
