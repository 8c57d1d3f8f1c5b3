/** Who may call which verb, and on whose things. */
import type { AccountsSnapshot, Principal, Scope } from '../accounts/account.ts'
import { type EmailOrigin, isOwn } from '../accounts/reading.ts'
import type { Role } from '../people/person.ts'
import { OperateError } from './error.ts'

/** A person, as far as verbs know him. */
export interface PersonRef {
  id: string
  /** As others see him: his address, or his name. */
  name: string
}

/** What somebody may do in his company: all of it, or one domain. */
export type Reach = Pick<Principal, 'companyId' | 'scopes' | 'domainId'>

/**
 * Who asks.
 * - `operator`: acts above all companies; `person` is null at the command line, and for the service itself.
 * - `member`: whoever holds a key, with what it may do, within its company.
 * - `person`: somebody who has signed in, in one of his companies, with what his role may do there.
 */
export type Caller =
  | { kind: 'operator'; person: PersonRef | null; isService?: true }
  | { kind: 'member'; principal: Principal }
  | { kind: 'person'; person: PersonRef; role: Role; principal: Reach }

/** At the command line. */
export const OPERATOR: Caller = { kind: 'operator', person: null }
/** The service itself, as it makes up what an empty database has. */
export const SERVICE: Caller = { kind: 'operator', person: null, isService: true }

const SCOPES_OF: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set<Scope>(['sending', 'reading', 'management']),
  developer: new Set<Scope>(['sending', 'reading', 'management']),
  viewer: new Set<Scope>(['reading']),
}

/** Somebody who has signed in, in one of his companies. */
export function personIn(person: PersonRef, companyId: string, role: Role): Caller {
  return { kind: 'person', person, role, principal: { companyId, scopes: SCOPES_OF[role], domainId: null } }
}

/** Who asks, and all accounts: what he may see of them say the functions below, and `find.ts`. */
export interface Who {
  caller: Caller
  accounts: AccountsSnapshot
}

/**
 * What a verb asks of its caller; an operator may call them all.
 * - `see`: sees what a company has set up. For members with the scope `reading` or `management`.
 * - `read`: sees what became of its mail. For members with the scope `reading`.
 * - `manage`: changes what a company has, or stops and hastens its mail. For members with the scope `management`.
 * - `own`: says who belongs to a company. For its owners.
 * - `operate`: concerns more than one company, or is the operator's word, which a company must not take back.
 */
export type Right = 'see' | 'read' | 'manage' | 'own' | 'operate'

const SCOPES: Readonly<Record<Exclude<Right, 'own' | 'operate'>, readonly Scope[]>> = {
  see: ['reading', 'management'],
  read: ['reading'],
  manage: ['management'],
}

/** Whether the caller has a right, on whatever it is about. */
export function may(caller: Caller, right: Right): boolean {
  if (caller.kind === 'operator') return true
  if (right === 'operate') return false
  if (right === 'own') return caller.kind === 'person' && caller.role === 'owner'
  return SCOPES[right].some((scope) => caller.principal.scopes.has(scope))
}

/** Throws `not_allowed`, which tells nothing of what exists: it is asked before anything is looked for. */
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
 * The accounts a caller may know of: for a member his company's, and of one domain where his key is restricted to it.
 */
export function visibleAccounts({ caller, accounts }: Who): AccountsSnapshot {
  if (caller.kind === 'operator') return accounts
  const { companyId, domainId } = caller.principal
  const own = accountsOf(accounts, companyId)
  if (domainId === null) return own
  return {
    companies: own.companies,
    domains: own.domains.filter(({ id }) => id === domainId),
    removedDomains: [],
    keys: own.keys.filter((key) => key.domainId === domainId),
    // That of the whole company is also that of a domain which has none.
    routes: own.routes.filter((route) => route.domainId === null || route.domainId === domainId),
  }
}

export function accountsOf(accounts: AccountsSnapshot, companyId: string): AccountsSnapshot {
  const own = (each: { companyId: string }) => each.companyId === companyId
  return {
    companies: accounts.companies.filter(({ id }) => id === companyId),
    domains: accounts.domains.filter(own),
    removedDomains: [],
    keys: accounts.keys.filter(own),
    routes: accounts.routes.filter(own),
  }
}

/** Throws `not_allowed` when the caller's key is for one domain only: what follows concerns all of the company. */
export function authoriseWhole(caller: Caller): void {
  if (caller.kind === 'operator' || caller.principal.domainId === null) return
  throw new OperateError(
    'not_allowed',
    'this key is for one domain only, and this concerns the whole company',
  )
}

/** Whether the caller may know of an email with this origin. */
export function mayKnow(caller: Caller, origin: EmailOrigin): boolean {
  return caller.kind === 'operator' || isOwn(caller.principal, origin)
}
