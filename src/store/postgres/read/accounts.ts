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
  unchanged,
} from '../../account-rows.ts'
import { ACCOUNTS_VERSION, ALL_ROUTES, LISTED, type Listed } from '../../account-statements.ts'
import { type Used, usedAt } from '../../quota.ts'
import type { AccountReads } from '../../store.ts'
import type { Session } from '../database.ts'
import type { Parts } from '../parts.ts'

const CHANGES = 'SELECT version, id FROM account_changes WHERE version > $1'

/** Companies and everything that belongs to them. */
export function accountReads({ database }: Parts): AccountReads {
  return {
    accounts: () =>
      database.snapshot(async (session) => ({
        ...(await read(session)),
        routes: await session.run<Route>(ALL_ROUTES),
      })),

    accountsSince: (since) =>
      database.snapshot(async (session) => {
        const [counter] = await session.run<{ value: number }>(ACCOUNTS_VERSION)
        const now = Number(counter!.value)
        const rows = await session.run<ChangedRow>(CHANGES, [since])
        const ids = changedIds(rows, since, now)
        if (ids === null) return null
        if (ids.length === 0) return unchanged(now)
        const changed = await read(session, ids)
        const routes = ids.includes(ROUTES) ? await session.run<Route>(ALL_ROUTES) : null
        return { ...changed, version: now, ids, routes }
      }),

    findDomain: (id) => database.snapshot(async (session) => (await readDomains(session, [id]))[0] ?? null),

    async accountsVersion() {
      const [row] = await database.read<{ value: number }>(ACCOUNTS_VERSION)
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

/** Everything except routes; only things with one of these ids, if ids are given. */
async function read(session: Session, ids?: string[]) {
  const companies = (await list<CompanyRow>(session, LISTED.companies, ids)).map(companyOf)
  const domains = await readDomains(session, ids)
  const removedDomains = await list<{ id: string; name: string }>(session, LISTED.removed, ids)
  const keys = (await list<KeyRow>(session, LISTED.keys, ids)).map(keyOf)
  return { companies, domains, removedDomains, keys }
}

async function readDomains(session: Session, ids?: string[]): Promise<SendingDomain[]> {
  const domains = (await list<DomainRow>(session, LISTED.domains, ids)).map((row) => domainOf(row, []))
  const byId = new Map(domains.map((domain) => [domain.id, domain]))
  for (const { domainId, ...identity } of await list<DkimIdentity & { domainId: string }>(
    session,
    LISTED.dkim,
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
