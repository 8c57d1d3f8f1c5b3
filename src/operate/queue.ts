/** The queue: listing waiting mail, and retrying it now. By site and by company: queue-sums.ts. */

import type { NamedSite, PauseScope, QueueLane, RetryCounts, RetryRequest } from '../store/store.ts'
import { authorise } from './authority.ts'
import { OperateError } from './error.ts'
import {
  type CompanyFilter,
  companyFilter,
  companyScope,
  domainName,
  findCompany,
  requireEmail,
} from './find.ts'
import { findSite } from './sites.ts'
import { type Operation, verb } from './verb.ts'
import { lanePauses, waitingLanes } from './waiting-lanes.ts'
import { sitesOfDomains } from './waiting-sites.ts'

export interface LaneReport extends QueueLane {
  /** The lane is paused, by a pause of exactly this lane or by a wider one. */
  paused: boolean
}

/** Waiting mail by company and recipient domain. */
export const showQueue = verb('read', async (op, of: CompanyFilter): Promise<LaneReport[]> => {
  const { companyId } = companyFilter(op, of)
  const present = await op.store.pauses(op.now())
  const { lanes, sites } = await waitingLanes(op, companyId, present)
  const pauses = lanePauses(op, present, sites)
  return lanes.map((lane) => ({ ...lane, paused: pauses.cover(lane) }))
})

export interface RetryInput extends CompanyFilter {
  /** Id of a single email. It goes before all mail of its company to the same domain, unless it is one of many. */
  email?: string | undefined
  isOneOfMany?: boolean
  /** Retries only the recipient of `email` at this position. */
  position?: number
  /** Recipient domain. */
  domain?: string | undefined
  /** A site, as `showSite` takes it: for operators, and without a domain. */
  site?: string | undefined
  /** Called with the totals so far, because hundreds of thousands of recipients take a while. */
  onStep?: (sum: RetryCounts) => void
}

export interface RetryResult extends RetryCounts {
  /** The scope of the retry, as it was named. */
  scope: PauseScope
  request: RetryRequest
  /** Whether any node delivers mail at present. */
  delivering: boolean
}

/** Makes mail that waits for a later time due now. Attempts already made still count. */
export const retry = verb(
  'manage',
  async (op, input: RetryInput): Promise<RetryResult> => {
    const site = await siteIn(op, input)
    const companyId = companyOfInput(op, input)
    const domain = input.domain === undefined ? null : domainName(input.domain)
    const scope: PauseScope = { companyId, domain, ...(site !== null && { site }) }
    const named = domain === null ? null : [domain]
    const domains = site === null ? named : await waitingDomains(op, site, companyId)
    const request: RetryRequest = {
      companyId,
      domains,
      emailId: input.email ?? null,
      ...(input.position !== undefined && { position: input.position }),
      goesFirst: input.email !== undefined && !input.isOneOfMany,
      now: op.now(),
      byMember: op.caller.kind !== 'operator',
    }
    if (input.email !== undefined) await refuseDone(op, input.email)
    const retried = await op.store.retry(request, input.onStep)
    const nodes = await op.store.nodes()
    return { ...retried, scope, request, delivering: nodes.some(({ roles }) => roles.includes('delivery')) }
  },
  null,
)

/** Why a retry found nothing to retry. */
export function noRetryReason({ paused, held }: Pick<RetryCounts, 'paused' | 'held'>): string {
  if (paused > 0) return 'this mail is paused: an operator has to resume it'
  if (held > 0) return 'its sending domain may not send: activate the domain first'
  return 'it is already being delivered'
}

function companyOfInput(op: Operation, { email, company }: RetryInput): string | null {
  if (email === undefined) return companyScope(op, { company })
  return company === undefined ? null : findCompany(op, company).id
}

async function siteIn(op: Operation, { site, domain, email }: RetryInput): Promise<NamedSite | null> {
  if (site === undefined) return null
  authorise(op.caller, 'operate')
  if (domain !== undefined || email !== undefined) {
    throw new OperateError('invalid', 'a site is named without a domain or an email')
  }
  const found = await findSite(op, site)
  return { key: found.key, name: found.site.name }
}

/** The recipient domains with waiting mail that the site serves. */
async function waitingDomains(op: Operation, site: NamedSite, companyId: string | null): Promise<string[]> {
  const lanes = await op.store.queue(companyId ?? undefined)
  const sites = await sitesOfDomains(op, new Set(lanes.map(({ domain }) => domain)))
  return [...sites].filter(([, { key }]) => key === site.key).map(([domain]) => domain)
}

async function refuseDone(op: Operation, id: string): Promise<void> {
  await requireEmail(op, id)
  const outline = await op.store.readOutline(id, { from: 0, limit: 0, eventOctets: 0, attempts: 0 })
  const { waiting = 0, sending = 0, quarantined = 0 } = outline?.states ?? {}
  if (waiting > 0 || sending > 0) return
  if (quarantined > 0) {
    throw new OperateError('nothing_to_do', 'it is in quarantine', { verb: 'releaseQuarantined', id })
  }
  throw new OperateError('nothing_to_do', 'nothing to retry: no recipient is waiting', {
    verb: 'showEmail',
    id,
  })
}
