/** Who may call which verb, and on whose things. */
import type { AccountsSnapshot } from '../accounts/account.ts'
import { OperateError } from './error.ts'
import type { Caller, Operation } from './operation.ts'

/**
 * What a verb asks of its caller; an operator may call them all.
 * - `read`: sees what a company has and what became of its mail. For members with the scope `reading`.
 * - `manage`: changes what a company has, or stops and hastens its mail. For members with the scope `management`.
 * - `operate`: concerns more than one company, or is the operator's word, which a company must not take back.
 */
export type Right = 'read' | 'manage' | 'operate'

const SCOPE = { read: 'reading', manage: 'management' } as const

/** Throws `not_allowed`, which tells nothing of what exists: it is asked before anything is looked for. */
export function authorise(caller: Caller, right: Right): void {
  if (caller.kind === 'operator') return
  if (right === 'operate') throw new OperateError('not_allowed', 'only the operator may do this')
  const scope = SCOPE[right]
  if (caller.principal.scopes.has(scope)) return
  throw new OperateError('not_allowed', `this key lacks the scope ${scope}`)
}

/**
 * The accounts a caller may know of: for a member his company's, and of one domain where his key is restricted to it.
 */
export function visibleAccounts({
  caller,
  accounts,
}: Pick<Operation, 'caller' | 'accounts'>): AccountsSnapshot {
  if (caller.kind === 'operator') return accounts
  const { companyId, domainId } = caller.principal
  const own = (each: { companyId: string }) => each.companyId === companyId
  const within = (id: string | null) => domainId === null || id === domainId
  return {
    companies: accounts.companies.filter(({ id }) => id === companyId),
    domains: accounts.domains.filter((domain) => own(domain) && within(domain.id)),
    keys: accounts.keys.filter((key) => own(key) && within(key.domainId)),
    // That of the whole company is also that of a domain which has none.
    routes: accounts.routes.filter(
      (route) => own(route) && (route.domainId === null || within(route.domainId)),
    ),
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

/** Whether the caller may know of what belongs to this company and sending domain. */
export function mayKnow(caller: Caller, owner: { companyId: string; domainId: string }): boolean {
  if (caller.kind === 'operator') return true
  const { companyId, domainId } = caller.principal
  return owner.companyId === companyId && (domainId === null || owner.domainId === domainId)
}
