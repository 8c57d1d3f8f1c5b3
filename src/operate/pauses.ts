/** Pausing and resuming waiting mail. */
import type { Pause, PauseScope } from '../store/store.ts'
import type { Audit } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyName, companyScope, domainName } from './find.ts'
import { type Operation, verb } from './verb.ts'

/** Without a company, a pause is for all of them; without a domain, for all recipient domains. */
export interface PauseInput extends CompanyFilter {
  /** Recipient domain. */
  domain?: string | undefined
}

/** Waiting mail stays in the queue, and uses up no attempts. Every node follows within a second. */
export const pause = verb(
  'operate',
  async (op, input: PauseInput): Promise<PauseScope> => {
    const scope = scopeOf(op, input)
    await op.store.pause({ ...scope, since: op.now() })
    return scope
  },
  pauseAudit('pause'),
)

/** Ends the pause with exactly this scope. */
export const resume = verb(
  'operate',
  async (op, input: PauseInput): Promise<PauseScope> => {
    const scope = scopeOf(op, input)
    if (await op.store.resume(scope)) return scope
    const others = (await op.store.pauses()).map((other) => scopeText(op, other)).join('; ')
    throw new OperateError(
      'not_found',
      `there is no pause of exactly ${scopeText(op, scope)}. ${others === '' ? 'Nothing is paused' : `Paused: ${others}`}`,
    )
  },
  pauseAudit('resume'),
)

/**
 * A member sees the pauses of its own company. Wider pauses, of everything or of a domain for all companies, show in
 * its queue.
 */
export const listPauses = verb('read', async (op, _input: object): Promise<Pause[]> => {
  const own = companyScope(op, {})
  const pauses = await op.store.pauses()
  return own === null ? pauses : pauses.filter(({ companyId }) => companyId === own)
})

function pauseAudit(action: string): Audit<PauseInput, PauseScope> {
  return {
    action,
    note({ domain }, scope, before) {
      if (scope === null) return { target: domain ?? '' }
      return { target: scopeText(before, scope), companyId: scope.companyId }
    },
  }
}

function scopeOf(op: Operation, { domain, ...of }: PauseInput): PauseScope {
  return {
    companyId: companyScope(op, of),
    domain: domain === undefined ? null : domainName(domain),
  }
}

/** `all mail`, `mail of Acme to example.com`. */
export function scopeText(op: Pick<Operation, 'accounts'>, { companyId, domain }: PauseScope): string {
  const whose = companyId === null ? 'all mail' : `mail of ${companyName(op, companyId)}`
  return domain === null ? whose : `${whose} to ${domain}`
}
