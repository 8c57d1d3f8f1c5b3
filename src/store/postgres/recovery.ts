import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'
import { endRecipients } from './endings.ts'

/** Recipients given back in one transaction. */
const CHUNK = 500

/** Tokens are looked up one after the other: what carries the same is passed over, however much it is. */
const LOST_TOKENS = {
  name: 'lost-tokens',
  text: `
WITH RECURSIVE leased (token) AS (
  (SELECT lease FROM queue WHERE lease > 0 ORDER BY lease LIMIT 1)
  UNION ALL
  SELECT (SELECT q.lease FROM queue q WHERE q.lease > l.token ORDER BY q.lease LIMIT 1)
  FROM leased l WHERE l.token IS NOT NULL
)
SELECT token FROM leased l WHERE token IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.token = l.token)`,
}

/**
 * What is locked is being written down under this token; so the rest is taken. The recipients of an email, which may make one
 * transaction, are due at the same time.
 */
const GIVE_BACK = {
  name: 'give-back',
  text: `
WITH lost AS MATERIALIZED (
  SELECT email, position, cancel FROM queue WHERE lease = $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
), waiting AS (
  UPDATE queue q SET lease = NULL, suspicion = greatest(q.suspicion, 1), due_at = $2::int8 + (hashtext(q.email::text) & 2147483647) % ($3::int8 + 1), ready = $3::int8 = 0
  FROM lost l WHERE NOT l.cancel AND q.email = ANY (ARRAY[l.email]) AND q.position = l.position
), others AS (
  UPDATE queue q SET suspicion = 1
  FROM (SELECT DISTINCT email FROM lost) l CROSS JOIN LATERAL (
    SELECT o.email, o.position FROM queue o WHERE o.email = l.email AND o.lease IS NULL AND o.suspicion = 0
    FOR UPDATE SKIP LOCKED
  ) other
  WHERE q.email = ANY (ARRAY[other.email]) AND q.position = other.position
)
SELECT email, position, cancel FROM lost`,
}

interface Lost {
  email: string
  position: number
  cancel: boolean
}

/** Taking back what nodes had leased that are no more. */
export class Recovery {
  readonly #database: Database
  readonly #changes: ChangeFeed

  constructor({ database, changes }: { database: Database; changes: ChangeFeed }) {
    this.#database = database
    this.#changes = changes
  }

  async recover({ now, jitterMs }: { now: number; jitterMs: number }): Promise<number> {
    let recovered = 0
    for (const { token } of await this.#database.look<{ token: number }>(LOST_TOKENS)) {
      for (let chunk = CHUNK; chunk === CHUNK; ) {
        chunk = await this.#giveBack(token, now, jitterMs)
        recovered += chunk
      }
    }
    return recovered
  }

  async #giveBack(token: number, now: number, jitterMs: number): Promise<number> {
    const lost = await this.#database.transaction(async (session) => {
      const rows = await session.run<Lost>(GIVE_BACK, [token, Math.round(now), Math.round(jitterMs)])
      const canceled = rows.filter(({ cancel }) => cancel)
      const endings = canceled.map(({ email, position }) => {
        return { email, position, state: 'canceled' as const, at: now }
      })
      await endRecipients(session, endings)
      return rows.length
    })
    if (lost > 0) this.#changes.queueChanged()
    return lost
  }
}
