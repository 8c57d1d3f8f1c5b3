/** The limited objects of a company: sending domains, keys and others, and their counts. */
import type { LimitedResource } from '../../accounts/account.ts'
import { limitColumn, refuseFull } from '../account-rows.ts'
import { StoreConflict } from '../store.ts'
import type { PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

const OWNED = {
  domains: limitStatements('domains', 'SELECT count(*) AS count FROM domains WHERE company = $1'),
  keys: limitStatements(
    'keys',
    'SELECT count(*) AS count FROM api_keys WHERE company = $1 AND revoked_at IS NULL',
  ),
  webhooks: limitStatements('webhooks', 'SELECT count(*) AS count FROM webhooks WHERE company = $1'),
}

/** A removal of the domain waits for the end of the transaction. */
const OWN_DOMAIN = statement('SELECT 1 AS own FROM domains WHERE id = $1 AND company = $2 FOR KEY SHARE')

function limitStatements(owned: LimitedResource, count: string) {
  return {
    limit: statement<{ own: number | null }>(
      `SELECT ${limitColumn(owned)} AS own FROM companies WHERE num = $1 FOR NO KEY UPDATE`,
    ),
    count: statement<{ count: number }>(count),
  }
}

/**
 * Checks the company's limit before one more is added, in the transaction that adds it: concurrent additions wait for
 * its end. Throws OverLimit.
 */
export function* checkOwnedLimit(
  db: PortTransaction,
  owned: LimitedResource,
  company: number,
): PortSteps<void> {
  const { limit, count } = OWNED[owned]
  const held = yield* db.one(limit, company)
  const counted = yield* db.one(count, company)
  refuseFull(owned, counted!.count, held!.own)
}

/** Throws StoreConflict when the domain is not the company's, in the transaction that adds something of the domain. */
export function* refuseForeign(
  db: PortTransaction,
  companyId: string,
  company: number,
  domainId: string | null,
): PortSteps<void> {
  if (domainId !== null && (yield* db.one(OWN_DOMAIN, domainId, company)) === undefined) {
    throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
  }
}
