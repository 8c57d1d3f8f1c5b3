import type { QueueStore } from '../store.ts'
import { decideAndWrite } from './apply.ts'
import { uuids } from './arrays.ts'
import type { RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/** Recipients given back in one transaction. */
const CHUNK = 500

/** Tokens are looked up one after the other: further rows with the same token are skipped, however many there are. */
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

/** Skips locked rows: the node of this token is recording their results. */
const HOLD = {
  name: 'hold-lost',
  text: `SELECT email::text AS email, position FROM queue WHERE lease = $1 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
}

/** Waiting recipients of these emails that are not suspect yet. */
const HOLD_OTHERS = {
  name: 'hold-others',
  text: `
SELECT o.email::text AS email, o.position FROM unnest($1::uuid[]) AS t (email) CROSS JOIN LATERAL (
  SELECT q.email, q.position FROM queue q WHERE q.email = t.email AND q.lease IS NULL AND q.suspicion = 0
  FOR UPDATE SKIP LOCKED
) o`,
}

/** Takes back the leases of nodes that are gone. */
export function recovery({ database, changes }: StoreParts): Pick<QueueStore, 'recover'> {
  const giveBack = async (token: number, now: number, jitterMs: number) => {
    const lost = await database.transaction(async (session) => {
      const places = await session.run<RecipientKey>(HOLD, [token])
      if (places.length === 0) return 0
      const emails = new Set(places.map(({ email }) => email))
      const others = await session.run<RecipientKey>(HOLD_OTHERS, [uuids([...emails])])
      await decideAndWrite(
        session,
        [...places, ...others],
        ({ email, lease }) => {
          if (lease === null) return { kind: 'suspect', suspicion: 1 }
          return { kind: 'node-lost', at: now, dueAt: now + jitterOf(email, jitterMs) }
        },
        now,
      )
      return places.length
    })
    if (lost > 0) changes.queueChanged()
    return lost
  }
  return {
    async recover({ now, jitterMs }) {
      let recovered = 0
      for (const { token } of await database.look<{ token: number }>(LOST_TOKENS)) {
        for (let chunk = CHUNK; chunk === CHUNK; recovered += chunk) {
          chunk = await giveBack(token, now, jitterMs)
        }
      }
      return recovered
    },
  }
}

/**
 * Milliseconds of jitter, the same for all recipients of an email, so that they may share a transaction. It is taken
 * from the end of the email's id, which is random.
 */
function jitterOf(email: string, jitterMs: number): number {
  return Number.parseInt(email.slice(-8), 16) % (Math.round(jitterMs) + 1)
}
