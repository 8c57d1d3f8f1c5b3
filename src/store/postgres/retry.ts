import { isEmailId } from '../../email/email-id.ts'
import { inForce } from '../cold/pauses.ts'
import { decideEach, nameOf } from '../recipient-decision.ts'
import { addRetried, NOTHING_RETRIED } from '../retry-counts.ts'
import type { QueueStore, RetryCounts } from '../store.ts'
import { apply } from './apply.ts'
import { texts } from './arrays.ts'
import type { Statement } from './database.ts'
import { factsOf, PLACES, type RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/** Rows of the queue looked at in one transaction. */
const STEP = 1_000

/** Below and above every email id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The queue's rows after ($1, $2) up to the email $3, in the order of acceptance: one pass, whichever of them match.
 */
const STEP_OVER: Statement = {
  name: 'retry-step',
  text: `
SELECT email::text AS email, position FROM queue WHERE (email, position) > ($1::uuid, $2::int4) AND email <= $3::uuid
ORDER BY email, position LIMIT ${STEP}`,
}

/**
 * Of these rows ($1, $2): those that wait for a time later than $3, or for any if they go first ($6), of the company
 * $4 and at the domains $5, either of which may be NULL. A locked row is being claimed or recorded, and is left alone.
 */
const HOLD: Statement = {
  name: 'hold-to-retry',
  text: `
SELECT q.email::text AS email, q.position,
  EXISTS (SELECT 1 FROM pauses p WHERE p.company IN (0, q.company) AND p.domain IN ('', q.domain)
    AND ${inForce('$3::int8')}) AS paused,
  NOT (SELECT e.sent FROM emails e WHERE e.id = q.email) AS scheduled,
  CASE WHEN $6::boolean THEN (
    SELECT f.due_at FROM queue f WHERE f.lease IS NULL AND f.ready AND f.company = q.company AND f.domain = q.domain
    ORDER BY f.due_at LIMIT 1
  ) END AS "firstDueAt"
FROM ${PLACES.as('t')} CROSS JOIN LATERAL (
  SELECT * FROM queue q
  WHERE q.email = ANY (ARRAY[t.email]) AND q.position = t.position AND q.lease IS NULL AND ($6::boolean OR q.due_at > $3::int8)
    AND ($4::int4 IS NULL OR q.company = $4) AND ($5::text[] IS NULL OR q.domain = ANY ($5))
  FOR UPDATE SKIP LOCKED
) q`,
}

interface RetryCandidate extends RecipientKey {
  paused: boolean
  /** The email has not been begun, and waits for the time that its sender gave. */
  scheduled: boolean
  /** When the first due mail of its lane was due; null: nothing is due there, or it does not go first. */
  firstDueAt: number | null
}

interface RetryScope {
  company: number | null
  domains: readonly string[] | null
  /** The request names one email. */
  named: boolean
  goesFirst: boolean
  now: number
  byMember: boolean
}

/** Makes recipients that wait for another time due now, by hand. */
export function retry({ database, companies, changes }: StoreParts): Pick<QueueStore, 'retry'> {
  const tryAgain = async (
    seen: readonly RecipientKey[],
    { company, domains, named, goesFirst, now, byMember }: RetryScope,
  ): Promise<RetryCounts> => {
    if (seen.length === 0) return NOTHING_RETRIED
    return await database.transaction(async (session) => {
      const waiting = await session.run<RetryCandidate>(HOLD, [
        ...PLACES.values(seen),
        now,
        company,
        domains && texts(domains),
        goesFirst,
      ])
      const flags = new Map(waiting.map((row) => [nameOf(row), row]))
      const all = decideEach(await factsOf(session, waiting), (recipient) => {
        const { paused, scheduled, firstDueAt } = flags.get(nameOf(recipient))!
        return {
          kind: 'retry',
          at: now,
          named,
          paused,
          scheduled,
          ahead: goesFirst ? { firstDueAt } : null,
          byMember,
        }
      })
      const left = all.filter(({ decision }) => decision.left !== undefined)
      const step = { ...NOTHING_RETRIED, retried: all.length - left.length }
      for (const { decision } of left) step[decision.left!] += 1
      if (step.retried > 0) await apply(session, all, now)
      return step
    })
  }
  return {
    async retry({ companyId, domains, emailId, position, goesFirst = false, now, byMember = false }, onStep) {
      if (emailId !== null && !isEmailId(emailId)) return NOTHING_RETRIED
      const company = await companies.filter(companyId)
      if (company === undefined) return NOTHING_RETRIED
      const named = emailId !== null
      const scope = { company, domains, named, goesFirst: named && goesFirst, now: Math.round(now), byMember }
      if (emailId !== null && position !== undefined) {
        const step = await tryAgain([{ email: emailId, position }], scope)
        if (step.retried > 0) changes.queueChanged()
        return step
      }
      let sum = NOTHING_RETRIED
      // Before the first row: positions begin with 0.
      let place: RecipientKey | undefined = { email: emailId ?? FIRST_ID, position: -1 }
      while (place !== undefined) {
        const values = [place.email, place.position, emailId ?? LAST_ID]
        const seen: RecipientKey[] = await database.look<RecipientKey>(STEP_OVER, values)
        const step = await tryAgain(seen, scope)
        sum = addRetried(sum, step)
        onStep?.(sum)
        if (step.retried > 0) changes.queueChanged()
        place = seen.length < STEP ? undefined : seen.at(-1)
      }
      return sum
    },
  }
}
