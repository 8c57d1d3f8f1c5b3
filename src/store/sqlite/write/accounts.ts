import type { ApiKey, Company, DomainStatus, SendingDomain, SendingState } from '../../../accounts/account.ts'
import { listText } from '../../json-columns.ts'
import { StoreConflict } from '../../store.ts'
import { isDuplicate } from '../database.ts'
import { one } from '../rows.ts'
import { Operation } from './parts.ts'

/** Companies, domains and keys. Every change raises the accounts version that the other processes look at. */
export class Accounts extends Operation {
  readonly #bump = this.db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
  readonly #addCompany = this.db.prepare('INSERT INTO companies (id, name, created_at) VALUES (?, ?, ?)')
  readonly #addDomain = this.db.prepare(
    'INSERT INTO domains (id, company, name, status, sending, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #addDkimKey = this.db.prepare(
    `INSERT INTO dkim_keys (domain_id, position, id, selector, algorithm, public_key, sealed_private_key)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #updateDomain = this.db.prepare(
    'UPDATE domains SET status = coalesce(?, status), sending = coalesce(?, sending) WHERE id = ?',
  )
  readonly #domainOwner = this.db.prepare('SELECT company FROM domains WHERE id = ?')
  readonly #addKey = this.db.prepare(
    `INSERT INTO api_keys (id, company, name, token_hash, scopes, domain_id, networks, created_at, expires_at,
       revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #revoke = this.db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')

  addCompany({ id, name, createdAt }: Company): void {
    unlessTaken(`There is already a company called ${name}`, () => this.#addCompany.run(id, name, createdAt))
    this.#changed()
  }

  addDomain(domain: SendingDomain): void {
    const { id, companyId, name, status, sending, createdAt, dkim } = domain
    const company = this.parts.companies.number(companyId)
    unlessTaken(`The domain ${name} is already set up; a domain belongs to one company`, () => {
      this.#addDomain.run(id, company, name, status, sending, createdAt)
    })
    for (const [
      position,
      { id: keyId, selector, algorithm, publicKey, sealedPrivateKey },
    ] of dkim.entries()) {
      unlessTaken(`There is already a DKIM key with the id ${keyId}`, () => {
        this.#addDkimKey.run(id, position, keyId, selector, algorithm, publicKey, sealedPrivateKey)
      })
    }
    this.#changed()
  }

  updateDomain(id: string, { status, sending }: { status?: DomainStatus; sending?: SendingState }): void {
    const updated = this.#updateDomain.run(status ?? null, sending ?? null, id).changes
    if (updated === 0) throw new StoreConflict(`There is no domain with the id ${id}`)
    this.#changed()
  }

  addKey(key: ApiKey): void {
    const company = this.parts.companies.number(key.companyId)
    if (
      key.domainId !== null &&
      one<{ company: number }>(this.#domainOwner, key.domainId)?.company !== company
    ) {
      throw new StoreConflict(`The company ${key.companyId} has no domain with the id ${key.domainId}`)
    }
    const { id, name, tokenHash, scopes, domainId, networks, createdAt, expiresAt, revokedAt } = key
    unlessTaken(`There is already a key with the id ${id} or of the same token`, () => {
      const bounds = [listText(networks), createdAt, expiresAt, revokedAt] as const
      this.#addKey.run(id, company, name, tokenHash, JSON.stringify(scopes), domainId, ...bounds)
    })
    this.#changed()
  }

  /** False when there is no such key or it was revoked before. */
  revokeKey(id: string, at: number): boolean {
    const revoked = this.#revoke.run(at, id).changes > 0
    if (revoked) this.#changed()
    return revoked
  }

  #changed(): void {
    this.#bump.run()
    this.parts.changes.accounts = true
  }
}

function unlessTaken(message: string, insert: () => void): void {
  try {
    insert()
  } catch (error) {
    if (isDuplicate(error)) throw new StoreConflict(message, { cause: error })
    throw error
  }
}
