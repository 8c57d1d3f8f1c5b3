import type {
  AccountsSnapshot,
  ApiKey,
  Company,
  DkimIdentity,
  DomainStatus,
  Route,
  SendingDomain,
  SendingState,
} from '../../accounts/account.ts'
import { type KeyRow, keyOf } from '../account-rows.ts'
import { listText } from '../json-columns.ts'
import { StoreConflict } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Session, Value } from './database.ts'

const COMPANIES = 'SELECT id, name, created_at AS "createdAt" FROM companies ORDER BY num'
const DOMAINS = `SELECT d.id, c.id AS "companyId", d.name, d.status, d.sending, d.created_at AS "createdAt"
  FROM domains d JOIN companies c ON c.num = d.company ORDER BY d.created_at, d.id`
const DKIM = `SELECT domain_id AS "domainId", id, selector, algorithm, public_key AS "publicKey",
    sealed_private_key AS "sealedPrivateKey"
  FROM dkim_keys ORDER BY domain_id, position`
const KEYS = `SELECT k.id, c.id AS "companyId", k.name, k.token_hash AS "tokenHash", k.scopes, k.domain_id AS "domainId",
    k.networks, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
  FROM api_keys k JOIN companies c ON c.num = k.company ORDER BY k.created_at, k.id`
const ROUTES = `SELECT r.id, c.id AS "companyId", nullif(r.domain_id, '') AS "domainId", r.url, r.sealed, r.created_at AS "createdAt"
  FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`

const VERSION = "SELECT value FROM counters WHERE name = 'accounts'"

/** Companies, domains and keys. Every change raises the version that the nodes look at, and is told to them. */
export class Accounts {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(database: Database, companies: CompanyNumbers, changes: ChangeFeed) {
    this.#database = database
    this.#companies = companies
    this.#changes = changes
  }

  async snapshot(): Promise<AccountsSnapshot> {
    return await this.#database.snapshot(async (session) => {
      const companies = await session.run<Company>(COMPANIES)
      const rows = await session.run<Omit<SendingDomain, 'dkim'>>(DOMAINS)
      const domains = rows.map((row): SendingDomain => ({ ...row, dkim: [] }))
      const byId = new Map(domains.map((domain) => [domain.id, domain]))
      for (const { domainId, ...identity } of await session.run<DkimIdentity & { domainId: string }>(DKIM)) {
        byId.get(domainId)?.dkim.push(identity)
      }
      const keys = (await session.run<KeyRow>(KEYS)).map(keyOf)
      const routes = await session.run<Route>(ROUTES)
      return { companies, domains, keys, routes }
    })
  }

  async version(): Promise<number> {
    const [row] = await this.#database.read<{ value: string | number }>(VERSION)
    return Number(row!.value)
  }

  async addCompany({ id, name, createdAt }: Company): Promise<void> {
    await this.#change(async (session) => {
      const sql = 'INSERT INTO companies (id, name, created_at) VALUES ($1, $2, $3)'
      await unlessTaken(session, sql, [id, name, createdAt], `There is already a company called ${name}`)
      return true
    })
  }

  async addDomain(domain: SendingDomain): Promise<void> {
    const { id, companyId, name, status, sending, createdAt, dkim } = domain
    const company = await this.#companies.number(companyId)
    await this.#change(async (session) => {
      await unlessTaken(
        session,
        'INSERT INTO domains (id, company, name, status, sending, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, company, name, status, sending, createdAt],
        `The domain ${name} is already set up; a domain belongs to one company`,
      )
      for (const [position, key] of dkim.entries()) {
        await unlessTaken(
          session,
          `INSERT INTO dkim_keys (domain_id, position, id, selector, algorithm, public_key, sealed_private_key)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [id, position, key.id, key.selector, key.algorithm, key.publicKey, key.sealedPrivateKey],
          `There is already a DKIM key with the id ${key.id}`,
        )
      }
      return true
    })
  }

  async updateDomain(
    id: string,
    { status, sending }: { status?: DomainStatus; sending?: SendingState },
  ): Promise<void> {
    await this.#change(async (session) => {
      const updated = await session.run(
        `UPDATE domains SET status = coalesce($2, status), sending = coalesce($3, sending) WHERE id = $1 RETURNING 1`,
        [id, status ?? null, sending ?? null],
      )
      if (updated.length === 0) throw new StoreConflict(`There is no domain with the id ${id}`)
      return true
    })
  }

  async addKey(key: ApiKey): Promise<void> {
    const company = await this.#companies.number(key.companyId)
    const { id, name, tokenHash, scopes, domainId, networks, createdAt, expiresAt, revokedAt } = key
    await this.#change(async (session) => {
      const owned = 'SELECT 1 FROM domains WHERE id = $1 AND company = $2'
      if (domainId !== null && (await session.run(owned, [domainId, company])).length === 0) {
        throw new StoreConflict(`The company ${key.companyId} has no domain with the id ${domainId}`)
      }
      await unlessTaken(
        session,
        `INSERT INTO api_keys (id, company, name, token_hash, scopes, domain_id, networks, created_at, expires_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[id, company, name, tokenHash, JSON.stringify(scopes), domainId],
          ...[listText(networks), createdAt, expiresAt, revokedAt],
        ],
        `There is already a key with the id ${id} or of the same token`,
      )
      return true
    })
  }

  /** False when there is no such key or it was revoked before. */
  async revokeKey(id: string, at: number): Promise<boolean> {
    return await this.#change(async (session) => {
      const sql = 'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING 1'
      return (await session.run(sql, [id, at])).length > 0
    })
  }

  /** `work` says whether it has changed anything. */
  async #change(work: (session: Session) => Promise<boolean>): Promise<boolean> {
    return await withNotice(this.#database, this.#changes, 'accounts', work)
  }
}

/** Inserts one row, or throws StoreConflict when another one has taken what is to be unique. */
async function unlessTaken(session: Session, sql: string, values: Value[], message: string): Promise<void> {
  const inserted = await session.run(`${sql} ON CONFLICT DO NOTHING RETURNING 1`, values)
  if (inserted.length === 0) throw new StoreConflict(message)
}
