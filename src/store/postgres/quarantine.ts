import { RELEASED, releasedEvent, setAsideEvent } from '../../email/quarantine-events.ts'
import type { QuarantinedEmail, QuarantineScope, SetAside } from '../store.ts'
import { int4s, int8s, texts, uuids } from './arrays.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Session, Statement } from './database.ts'
import { type Ending, endRecipients } from './endings.ts'
import { isEmailId } from './rows.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

const HOLD: Statement = {
  name: 'hold-to-set-aside',
  text: 'SELECT position, lease, cancel FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}

/** The lease 0 is no node's: claims pass over it, recovery leaves it alone, and retention sees that the email is not finished. */
const SET_ASIDE: Statement = {
  name: 'set-aside',
  text: `
WITH known AS (
  UPDATE recipients SET last_message = $3 WHERE email = $1 AND position = ANY ($2::int4[])
)
UPDATE queue SET lease = 0, due_at = NULL, ready = false, held_for = NULL WHERE email = $1 AND position = ANY ($2::int4[])`,
}

const SUSPECT: Statement = { name: 'suspect', text: 'UPDATE queue SET suspicion = 2 WHERE email = $1' }

const EVENTS: Statement = {
  name: 'quarantine-events',
  text: `INSERT INTO events (email, company, recipient, type, at, detail)
  SELECT email, (SELECT e.company FROM emails e WHERE e.id = v.email), recipient, type, at, detail
  FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::int8[], $5::text[]) AS v (email, recipient, type, at, detail)`,
}

const RELEASE: Statement = {
  name: 'release-quarantined',
  text: `
WITH chosen AS MATERIALIZED (
  SELECT email, position FROM queue
  WHERE lease = 0 AND ($1::int4 IS NULL OR company = $1) AND ($2::uuid IS NULL OR email = $2)
  LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
), known AS (
  UPDATE recipients r SET last_message = $4 FROM chosen c WHERE r.email = ANY (ARRAY[c.email]) AND r.position = c.position
)
UPDATE queue q SET lease = NULL, due_at = $3, ready = true, suspicion = 1 FROM chosen c
WHERE q.email = ANY (ARRAY[c.email]) AND q.position = c.position RETURNING q.email::text AS email, q.position`,
}

const LIST = `
SELECT e.id::text AS id, c.id AS "companyId", e.header_from AS "from", e.subject, q.recipients, q.message,
  (SELECT max(v.at) FROM events v WHERE v.email = e.id AND v.type = 'delivery_delayed') AS since
FROM (
  SELECT q.email, count(*) AS recipients, max(r.last_message) AS message
  FROM queue q JOIN recipients r ON r.email = q.email AND r.position = q.position
  WHERE q.lease = 0 AND ($1::integer IS NULL OR q.company = $1) GROUP BY q.email ORDER BY q.email DESC LIMIT $2
) q JOIN emails e ON e.id = q.email JOIN companies c ON c.num = e.company ORDER BY e.id DESC`

/** What took a process down: it is out of reach of claims and of retention until the operator releases or cancels it. */
export class Quarantine {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(parts: { database: Database; companies: CompanyNumbers; changes: ChangeFeed }) {
    this.#database = parts.database
    this.#companies = parts.companies
    this.#changes = parts.changes
  }

  async setAside({ emailId, leaseToken, positions, others, at, message }: SetAside): Promise<number> {
    if (!isEmailId(emailId)) return 0
    const setAside = await this.#database.transaction(async (session) => {
      const live = await session.run<{ position: number; lease: number | null; cancel: boolean }>(HOLD, [
        emailId,
      ])
      const ours = live.filter(({ position, lease }) => lease === leaseToken && positions.includes(position))
      const waiting = others === 'quarantine' ? live.filter(({ lease }) => lease === null) : []
      const canceled = ours.filter(({ cancel }) => cancel)
      await endRecipients(
        session,
        canceled.map(
          ({ position }): Ending => ({ email: emailId, position, state: 'canceled', at, message }),
        ),
      )
      const chosen = [...ours.filter(({ cancel }) => !cancel), ...waiting].map(({ position }) => position)
      await session.run(SET_ASIDE, [emailId, int4s(chosen), message])
      await session.run(SUSPECT, [emailId])
      await append(
        session,
        chosen.map((position) => ({ email: emailId, ...setAsideEvent(position, at, message) })),
      )
      return chosen.length
    })
    this.#changes.queueChanged()
    return setAside
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
        const values = [company, emailId, Math.round(now), RELEASED]
        const rows = await session.run<{ email: string; position: number }>(RELEASE, values)
        await append(
          session,
          rows.map(({ email, position }) => ({ email, ...releasedEvent(position, now) })),
        )
        return rows.length
      })
      if (chunk > 0) this.#changes.queueChanged()
    }
    return released
  }

  async #number(companyId: string): Promise<number | undefined> {
    return (await this.#companies.find([companyId])).get(companyId)
  }
}

type Appended = { email: string } & ReturnType<typeof setAsideEvent>

async function append(session: Session, events: readonly Appended[]): Promise<void> {
  if (events.length === 0) return
  await session.run(EVENTS, [
    uuids(events.map(({ email }) => email)),
    int4s(events.map(({ recipient }) => recipient)),
    texts(events.map(({ type }) => type)),
    int8s(events.map(({ at }) => Math.round(at))),
    texts(events.map(({ detail }) => JSON.stringify(detail))),
  ])
}
