/** Pausing and resuming waiting mail. */
import { pauseOf } from '../queue/pauses.ts'
import type { Pause, PauseScope } from '../store/store.ts'
import type { Audit } from './audit-trail.ts'
import type { CallerContext } from './authority.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyName, companyScope, domainName, oneLine } from './find.ts'
import { findSite } from './sites.ts'
import { type Operation, verb } from './verb.ts'

/** The longest reason, in characters. */
const LONGEST_PAUSE_REASON = 200

/** Without a company, a pause is for all of them; without a domain or a site, for all recipient domains. */
export interface PauseInput extends CompanyFilter {
  /** Recipient domain. */
  domain?: string | undefined
  /** A site, as `showSite` takes it; without a domain. */
  site?: string | undefined
}

export interface NewPauseInput extends PauseInput {
  /** Unix ms: the pause ends by itself then. Null: only an operator ends it. Absent: as before, or null. */
  until?: number | null | undefined
  /**
   * Shown to everybody who sees the pause: operators, and members of the companies whose mail waits. Empty: none.
   * Absent: as before, or none.
   */
  reason?: string | undefined
}

/** Waiting mail stays in the queue, and uses up no attempts. Every node follows within a second. */
export const pause = verb(
  'operate',
  async (op, { until, reason, ...input }: NewPauseInput): Promise<Pause> => {
    const scope = await scopeOf(op, input)
    const now = op.now()
    if (typeof until === 'number' && until <= now)
      throw new OperateError('invalid', 'the end of the pause is in the past')
    const before = pauseOf(await op.store.pauses(now), scope)
    const made: Pause = {
      ...scope,
      since: before?.since ?? now,
      until: until === undefined ? (before?.until ?? null) : until,
      reason: reason === undefined ? (before?.reason ?? null) : checkedReason(reason),
    }
    await op.store.pause(made)
    return made
  },
  pauseAudit('pause', ({ until, reason }: Pause) => ({
    ...(until !== null && { until: new Date(until).toISOString() }),
    ...(reason !== null && { reason }),
  })),
)

/** Ends the pause with exactly this scope. */
export const resume = verb(
  'operate',
  async (op, input: PauseInput): Promise<PauseScope> => {
    const pauses = await op.store.pauses(op.now())
    const scope = pausedSite(op, input, pauses) ?? (await scopeOf(op, input))
    if (pauseOf(pauses, scope) !== undefined && (await op.store.resume(scope, op.now()))) return scope
    const others = pauses.map((other) => scopeText(op, other)).join('; ')
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
  const pauses = await op.store.pauses(op.now())
  return own === null ? pauses : pauses.filter(({ companyId }) => companyId === own)
})

function pauseAudit<Result extends PauseScope>(
  action: string,
  detailOf: (result: Result) => Record<string, unknown> = () => ({}),
): Audit<PauseInput, Result> {
  return {
    action,
    note({ domain, site }, result, before) {
      if (result === null) return { target: domain ?? site ?? '' }
      return { target: scopeText(before, result), companyId: result.companyId, detail: detailOf(result) }
    },
  }
}

async function scopeOf(op: Operation, { domain, site, ...of }: PauseInput): Promise<PauseScope> {
  const companyId = companyScope(op, of)
  if (site === undefined) return { companyId, domain: domain === undefined ? null : domainName(domain) }
  if (domain !== undefined)
    throw new OperateError('invalid', 'a pause is for a domain or for a site, not both')
  const found = await findSite(op, site)
  return { companyId, domain: null, site: { key: found.key, name: found.site.name } }
}

/** The scope of a pause that is named as it is listed: the servers of the site may have changed since it began. */
function pausedSite(
  op: Operation,
  { site, domain, ...of }: PauseInput,
  pauses: readonly Pause[],
): PauseScope | undefined {
  if (site === undefined || domain !== undefined) return undefined
  const companyId = companyScope(op, of)
  const wanted = site.trim().toLowerCase()
  return pauses.find((pause) => pause.companyId === companyId && pause.site?.name.toLowerCase() === wanted)
}

function checkedReason(text: string): string | null {
  const reason = oneLine(text)
  if (reason.length > LONGEST_PAUSE_REASON) {
    const message = `the reason of a pause can have at most ${LONGEST_PAUSE_REASON} characters`
    throw new OperateError('invalid', message)
  }
  return reason === '' ? null : reason
}

/** `all mail`, `mail of Acme to example.com`. */
export function scopeText(op: CallerContext, { companyId, domain, site }: PauseScope): string {
  const whose = companyId === null ? 'all mail' : `mail of ${companyName(op, companyId)}`
  if (site !== undefined) return `${whose} to the site ${site.name}`
  return domain === null ? whose : `${whose} to ${domain}`
}
