/** Callers with more rights in a company than to send: the holder of a key with all scopes, and people who have signed in. */
import { randomUUIDv7 } from 'node:crypto'
import { newToken } from '../../src/accounts/token.ts'
import { loadSettings } from '../../src/config/load.ts'
import { beginSession } from '../../src/operate/sessions.ts'
import { newPerson, type Role } from '../../src/people/person.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'

export class Insiders implements AsyncDisposable {
  readonly #store: Store
  readonly #companyId: string

  private constructor(store: Store, companyId: string) {
    this.#store = store
    this.#companyId = companyId
  }

  /** Beside a service that may be running on the database. */
  static async of(databaseUrl: string, companyId: string): Promise<Insiders> {
    const { database } = loadSettings({ POSTROAD_DATABASE_URL: databaseUrl }, { envFile: null })
    return new Insiders(await openStore(database, { exclusive: false }), companyId)
  }

  /** Token of a key that may send, read and manage. */
  async addKey(): Promise<string> {
    const { token, hash, start } = newToken()
    await this.#store.addKey({
      ...{ id: randomUUIDv7(), companyId: this.#companyId, name: 'everything', tokenHash: hash },
      tokenStart: start,
      ...{ scopes: ['sending', 'reading', 'management'], domainId: null, createdAt: Date.now() },
      ...{ networks: [], password: null, expiresAt: null, revokedAt: null },
    })
    return token
  }

  /** Id of a new member. */
  async addPerson(role: Role, { operator = false } = {}): Promise<string> {
    const person = newPerson(Date.now(), {
      ...{ address: `${randomUUIDv7()}@people.example`, name: 'n'.repeat(200), operator },
      memberships: [{ companyId: this.#companyId, role }],
    })
    await this.#store.addPerson(person)
    return person.id
  }

  /** Cookie of a new member who has signed in. */
  async signIn(role: Role, { operator = false } = {}): Promise<string> {
    const person = await this.#store.findPerson({ id: await this.addPerson(role, { operator }) })
    const from = { address: '127.0.0.1', userAgent: 'test', now: Date.now(), lifetime: 24 * 3_600_000 }
    return `postroad_session=${(await beginSession(this.#store, person!, 'link', from)).token}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store.close()
  }
}
