import { isEmailId } from '../../email/email-id.ts'
import type { QuarantinedEmail, QueueStore } from '../store.ts'
import { happen } from './apply.ts'
import type { Statement } from './database.ts'
import { HOLD_EMAIL, QUARANTINED, type RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

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

/** Emails that took a process down: claims and retention skip them until the operator releases or cancels them. */
export function quarantine({
  database,
  companies,
  changes,
}: StoreParts): Pick<QueueStore, 'quarantine' | 'quarantined' | 'releaseQuarantined'> {
  return {
    async quarantine({ emailId, leaseToken, positions, others, at, message }) {
      if (!isEmailId(emailId)) return 0
      const all = await database.transaction(async (session) => {
        const places = await session.run<RecipientKey>(HOLD_EMAIL, [emailId])
        return await happen(
          session,
          places,
          ({ position, lease }) => {
            const goes =
              lease === null ? others === 'quarantine' : lease === leaseToken && positions.includes(position)
            return goes ? { kind: 'quarantine', at, message } : { kind: 'suspect', suspicion: 2 }
          },
          at,
        )
      })
      changes.queueChanged()
      return all.filter(({ decision }) => decision.change?.state === 'quarantined').length
    },

    /** Newest first. */
    async quarantined({ companyId, limit }) {
      const company = await companies.filter(companyId)
      if (company === undefined) return []
      return await database.read<QuarantinedEmail>(LIST, [company, limit])
    },

    async releaseQuarantined({ companyId, emailId }, now) {
      if (emailId !== null && !isEmailId(emailId)) return 0
      const company = await companies.filter(companyId)
      if (company === undefined) return 0
      let released = 0
      for (let chunk = CHUNK; chunk === CHUNK; released += chunk) {
        chunk = await database.transaction(async (session) => {
          const places = await session.run<RecipientKey>(HOLD_QUARANTINED, [company, emailId])
          await happen(session, places, () => ({ kind: 'quarantine-released', at: now }), now)
          return places.length
        })
        if (chunk > 0) changes.queueChanged()
      }
      return released
    },
  }
}
