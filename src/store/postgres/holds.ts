import type { QueueStore } from '../store.ts'
import { happen } from './apply.ts'
import type { RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

const HELD = {
  name: 'held-domains',
  text: `
WITH RECURSIVE held (domain) AS (
  (SELECT held_domain FROM queue WHERE held_domain IS NOT NULL ORDER BY held_domain LIMIT 1)
  UNION ALL
  SELECT (SELECT q.held_domain FROM queue q WHERE q.held_domain > h.domain ORDER BY q.held_domain LIMIT 1)
  FROM held h WHERE h.domain IS NOT NULL
)
SELECT domain FROM held WHERE domain IS NOT NULL`,
}

const HOLD = {
  name: 'hold-held',
  text: `
SELECT email::text AS email, position FROM queue
WHERE held_domain = $1 AND (email, position) > ($3::uuid, $4::integer) AND due_at < $2
ORDER BY email, position LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
}

/** Recipients that wait only because their sending domain may not send. */
export function holds({ database, changes }: StoreParts): Pick<QueueStore, 'heldDomains' | 'releaseHeld'> {
  return {
    async heldDomains() {
      return (await database.look<{ domain: string }>(HELD)).map(({ domain }) => domain)
    },

    async releaseHeld(domainId, { now, dueBefore }) {
      let released = 0
      // Each chunk goes on behind the last one: a recipient that is held again meanwhile would otherwise be released
      // for ever.
      let place: RecipientKey = { email: '00000000-0000-0000-0000-000000000000', position: -1 }
      while (true) {
        const values = [domainId, Math.round(dueBefore), place.email, place.position]
        const places = await database.transaction(async (session) => {
          const held = await session.run<RecipientKey>(HOLD, values)
          await happen(session, held, () => ({ kind: 'hold-released', at: now }), now)
          return held
        })
        const last = places.at(-1)
        if (last === undefined) return released
        released += places.length
        changes.queueChanged()
        if (places.length < CHUNK) return released
        place = last
      }
    },
  }
}
