import type { Pause, PauseScope } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Session } from './database.ts'

const LIST = `SELECT c.id AS "companyId", nullif(p.domain, '') AS domain, p.since
  FROM pauses p LEFT JOIN companies c ON c.num = p.company ORDER BY p.company, p.domain`
const ADD =
  'INSERT INTO pauses (company, domain, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1'
const END = 'DELETE FROM pauses WHERE company = $1 AND domain = $2 RETURNING 1'

/** The operator's word that mail stays where it is. Nodes read it, and leave it out of their claims. */
export class Pauses {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(database: Database, companies: CompanyNumbers, changes: ChangeFeed) {
    this.#database = database
    this.#companies = companies
    this.#changes = changes
  }

  async list(): Promise<Pause[]> {
    return await this.#database.read<Pause>(LIST)
  }

  async pause({ since, ...scope }: Pause): Promise<void> {
    const key = await this.#key(scope)
    await this.#change((session) => session.run(ADD, [...key, Math.round(since)]))
  }

  async resume(scope: PauseScope): Promise<boolean> {
    const key = await this.#key(scope)
    return await this.#change((session) => session.run(END, key))
  }

  /** True when rows were changed: then those who watch are told. */
  async #change(write: (session: Session) => Promise<unknown[]>): Promise<boolean> {
    return await withNotice(this.#database, this.#changes, 'stops', async (session) => {
      return (await write(session)).length > 0
    })
  }

  async #key({ companyId, domain }: PauseScope): Promise<[company: number, domain: string]> {
    return [companyId === null ? 0 : await this.#companies.number(companyId), domain ?? '']
  }
}
