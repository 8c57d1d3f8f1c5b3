import type { QuarantinedEmail, QuarantineRequest, QuarantineScope } from '../store.ts'
import { apply, decided } from './apply.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Statement } from './database.ts'
import { factsOf, type Place, QUARANTINED } from './facts.ts'
import { isEmailId } from './rows.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

const HOLD: Statement = {
  name: 'hold-to-quarantine',
  text: 'SELECT email::text AS email, position FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}

const HOLD_QUARANTINED: Statement = {
  name: 'hold-quarantined',
  text: `
SELECT email::text AS email, position FROM queue
WHERE lease = ${QUARANTINED} AND ($1::int4 IS NULL OR company = $1) AND ($2::uuid IS NULL OR email = $2)
LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
}

const LIST = `
SELECT e.id::text AS id, c.id AS "companyId", e.header_from AS "from", e.subject, q.recipients, q.message,
  (SELECT max(v.at) FROM events v WHERE v.email = e.id AND v.type = 'delivery_delayed') AS since
FROM (
  SELECT q.email, count(*) AS recipients, max(r.last_message) AS message
  FROM queue q JOIN recipients r ON r.email = q.email AND r.position = q.position
  WHERE q.lease = ${QUARANTINED} AND ($1::integer IS NULL OR q.company = $1) GROUP BY q.email ORDER BY q.email DESC LIMIT $2
) q JOIN emails e ON e.id = q.email JOIN companies c ON c.num = e.company ORDER BY e.id DESC`

/**
 * What took a process down: it is out of reach of claims and of retention until the operator releases or cancels it.
 */
export class Quarantine {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(parts: { database: Database; companies: CompanyNumbers; changes: ChangeFeed }) {
    this.#database = parts.database
    this.#companies = parts.companies
    this.#changes = parts.changes
  }

  async add({ emailId, leaseToken, positions, others, at, message }: QuarantineRequest): Promise<number> {
    if (!isEmailId(emailId)) return 0
    const added = await this.#database.transaction(async (session) => {
      const live = await factsOf(session, await session.run<Place>(HOLD, [emailId]))
      const all = decided(live, ({ position, lease }) => {
        const goes =
          lease === null ? others === 'quarantine' : lease === leaseToken && positions.includes(position)
        return goes ? { kind: 'quarantine', at, message } : { kind: 'suspect', suspicion: 2 }
      })
      await apply(session, all, at)
      return all.filter(({ decision }) => decision.change?.state === 'quarantined').length
    })
    this.#changes.queueChanged()
    return added
  }

  /** Newest first. */
  async list({ companyId, limit }: { companyId?: string; limit: number }): Promise<QuarantinedEmail[]> {
    const company = companyId === undefined ? null : await this.#number(companyId)
    if (company === undefined) return []
    return await this.#database.read<QuarantinedEmail>(LIST, [company, limit])
  }

  async release({ companyId, emailId }: QuarantineScope, now: number): Promise<number> {
    if (emailId !== null && !isEmailId(emailId)) return 0
    const company = companyId === null ? null : await this.#number(companyId)
    if (company === undefined) return 0
    let released = 0
    for (let chunk = CHUNK; chunk === CHUNK; released += chunk) {
      chunk = await this.#database.transaction(async (session) => {
        const places = await session.run<Place>(HOLD_QUARANTINED, [company, emailId])
        const all = decided(await factsOf(session, places), () => ({ kind: 'quarantine-released', at: now }))
        await apply(session, all, now)
        return places.length
      })
      if (chunk > 0) this.#changes.queueChanged()
    }
    return released
  }

  async #number(companyId: string): Promise<number | undefined> {
    return (await this.#companies.find([companyId])).get(companyId)
  }
}
