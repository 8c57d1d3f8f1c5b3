import type { DkimIdentity, Route, SendingDomain } from '../../../accounts/account.ts'
import {
  type ChangedRow,
  type CompanyRow,
  changedIds,
  companyOf,
  type DomainRow,
  domainOf,
  type KeyRow,
  keyOf,
  ROUTES,
  SELECTED_LIMITS,
  unchanged,
} from '../../account-rows.ts'
import { type Used, usedAt } from '../../quota.ts'
import type { AccountStore } from '../../store.ts'
import type { Session } from '../database.ts'
import type { Parts } from '../parts.ts'

interface Listed {
  sql: string
  /** The column by which some are named. */
  id: string
  order: string
}

const COMPANIES: Listed = {
  sql: `SELECT id, name, created_at AS "createdAt", ${SELECTED_LIMITS} FROM companies`,
  ...{ id: 'id', order: 'num' },
}
const DOMAINS: Listed = {
  sql: `SELECT d.id, c.id AS "companyId", d.name, d.status, d.sending, d.created_at AS "createdAt",
      d.speaks_for AS "speaksFor", d.settings, d.seen
    FROM domains d JOIN companies c ON c.num = d.company`,
  ...{ id: 'd.id', order: 'd.created_at, d.id' },
}
const REMOVED: Listed = { sql: 'SELECT id, name FROM removed_domains', id: 'id', order: 'id' }
const DKIM: Listed = {
  sql: `SELECT domain_id AS "domainId", id, selector, algorithm, active, public_key AS "publicKey",
      sealed_private_key AS "sealedPrivateKey"
    FROM dkim_keys`,
  ...{ id: 'domain_id', order: 'domain_id, position' },
}
const KEYS: Listed = {
  sql: `SELECT k.id, c.id AS "companyId", k.name, k.token_hash AS "tokenHash", k.scopes, k.domain_id AS "domainId",
      k.networks, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
    FROM api_keys k JOIN companies c ON c.num = k.company`,
  ...{ id: 'k.id', order: 'k.created_at, k.id' },
}
const ROUTES_ALL = `SELECT r.id, c.id AS "companyId", nullif(r.domain_id, '') AS "domainId", r.url, r.sealed,
    r.created_at AS "createdAt"
  FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`

const VERSION = "SELECT value FROM counters WHERE name = 'accounts'"
const CHANGES = 'SELECT version, id FROM account_changes WHERE version > $1'

type AccountReads = 'accounts' | 'accountsSince' | 'accountsVersion' | 'findDomain' | 'quotaUsed'

/** Companies and what belongs to them. */
export function accountReads({ database }: Parts): Pick<AccountStore, AccountReads> {
  return {
    accounts: () =>
      database.snapshot(async (session) => ({
        ...(await read(session)),
        routes: await session.run<Route>(ROUTES_ALL),
      })),

    accountsSince: (since) =>
      database.snapshot(async (session) => {
        const [counter] = await session.run<{ value: number }>(VERSION)
        const now = Number(counter!.value)
        const rows = await session.run<ChangedRow>(CHANGES, [since])
        const ids = changedIds(rows, since, now)
        if (ids === null) return null
        if (ids.length === 0) return unchanged(now)
        const changed = await read(session, ids)
        const routes = ids.includes(ROUTES) ? await session.run<Route>(ROUTES_ALL) : null
        return { ...changed, version: now, ids, routes }
      }),

    findDomain: (id) => database.snapshot(async (session) => (await readDomains(session, [id]))[0] ?? null),

    async accountsVersion() {
      const [row] = await database.read<{ value: number }>(VERSION)
      return row!.value
    },

    async quotaUsed(companyId, at) {
      const sql = `SELECT q.day, q.daily, q.month, q.monthly
        FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = $1`
      const [row] = await database.read<Used>(sql, [companyId])
      const { daily, monthly } = usedAt(row, at)
      return { daily, monthly }
    },
  }
}

/** Everything but routes; of what has one of these ids, where some are named. */
async function read(session: Session, ids?: string[]) {
  const companies = (await list<CompanyRow>(session, COMPANIES, ids)).map(companyOf)
  const domains = await readDomains(session, ids)
  const removedDomains = await list<{ id: string; name: string }>(session, REMOVED, ids)
  const keys = (await list<KeyRow>(session, KEYS, ids)).map(keyOf)
  return { companies, domains, removedDomains, keys }
}

async function readDomains(session: Session, ids?: string[]): Promise<SendingDomain[]> {
  const domains = (await list<DomainRow>(session, DOMAINS, ids)).map((row) => domainOf(row, []))
  const byId = new Map(domains.map((domain) => [domain.id, domain]))
  for (const { domainId, ...identity } of await list<DkimIdentity & { domainId: string }>(
    session,
    DKIM,
    ids,
  )) {
    byId.get(domainId)?.dkim.push(identity)
  }
  return domains
}

function list<Row>(session: Session, { sql, id, order }: Listed, ids?: string[]): Promise<Row[]> {
  if (ids === undefined) return session.run<Row>(`${sql} ORDER BY ${order}`)
  const some = `${sql} WHERE ${id} IN (SELECT json_array_elements_text($1::json)) ORDER BY ${order}`
  return session.run<Row>(some, [JSON.stringify(ids)])
}
