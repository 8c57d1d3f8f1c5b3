/** Finds the webhooks that a caller may see. */
import type { Company, SendingDomain } from '../accounts/account.ts'
import type { Webhook } from '../store/store.ts'
import type { AuditNote } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import type { Operation } from './verb.ts'

export interface OwnedWebhook {
  webhook: Webhook
  company: Company
  /** Null: the webhook is for all domains of the company. */
  domain: SendingDomain | null
}

/** The audit note for a webhook. The query is left out, because queries of URLs hold secrets. */
export function webhookNote({ id }: { id?: string }, owned: OwnedWebhook | null): AuditNote {
  if (owned === null) return { target: id ?? '' }
  const { origin, pathname } = new URL(owned.webhook.url)
  return { target: origin + pathname, companyId: owned.company.id }
}

/** Throws `not_found`. */
export async function findWebhook(op: Operation, id: string): Promise<OwnedWebhook> {
  // PostgreSQL refuses text with NUL, so such text cannot be an id.
  const [webhook] = id.includes('\0') ? [] : await op.store.webhooks({ id })
  const found = webhook !== undefined && maySee(op, webhook) ? ownedWebhook(op, webhook) : null
  if (found !== null) return found
  throw noSuchWebhook(id)
}

export function noSuchWebhook(id: string): OperateError {
  return new OperateError(
    'not_found',
    `there is no webhook with the id "${id}"`,
    { verb: 'listWebhooks' },
    { about: { noun: 'webhook', name: id } },
  )
}

/** The webhooks that the caller may see. */
export async function visibleWebhooks(op: Operation, of: CompanyFilter): Promise<OwnedWebhook[]> {
  const { caller } = op
  const whole = caller.kind === 'operator' || caller.principal.domainId === null
  const companyId = whole ? companyScope(op, of) : caller.principal.companyId
  const all = await op.store.webhooks(companyId === null ? {} : { companyId })
  return all.filter((webhook) => maySee(op, webhook)).flatMap((webhook) => ownedWebhook(op, webhook) ?? [])
}

/** A key for one domain may see the webhooks of that domain. */
function maySee({ caller }: Operation, { companyId, domainId }: Webhook): boolean {
  if (caller.kind === 'operator') return true
  const { principal } = caller
  return principal.companyId === companyId && (principal.domainId === null || principal.domainId === domainId)
}

function ownedWebhook({ accounts }: Operation, webhook: Webhook): OwnedWebhook | null {
  const company = accounts.companies.find(({ id }) => id === webhook.companyId)
  const domain = accounts.domains.find(({ id }) => id === webhook.domainId) ?? null
  return company === undefined ? null : { webhook, company, domain }
}
