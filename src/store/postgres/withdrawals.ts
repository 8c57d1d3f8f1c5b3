import { uuids } from './arrays.ts'
import { int4, int8, text, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession } from './database.ts'
import type { DoubtfulEmail } from './pending-email.ts'
import { giveBackQuotas } from './quotas.ts'

/**
 * Inserts placeholder rows with these ids, so that this waits for any commit of them that is still under way. REMOVE
 * deletes the placeholders.
 */
const TAKE_IDS = `
INSERT INTO emails (id, company, created_at, date, size, individual, test_mode, sent, domain_id, key_id, sender, header_from,
  subject, message_id)
SELECT id, 0, 0, 0, 0, false, false, true, '', '', '', '', '', '' FROM unnest($1::uuid[]) AS t (id) ORDER BY id
ON CONFLICT DO NOTHING RETURNING id::text AS id`

const HOLD = 'SELECT 1 FROM queue WHERE email = ANY ($1::uuid[]) ORDER BY email, position FOR UPDATE'

const LEASES = unnestSql<DoubtfulEmail>(1, {
  id: uuid(({ email }) => email.id),
  token: int8(({ lease }) => lease?.token ?? 0),
})

/**
 * Emails that have no attempts, no finished recipients other than suppressed ones, and none leased under another token.
 */
const UNTOUCHED = `
SELECT e.id::text AS id FROM ${LEASES.as('given')} JOIN emails e ON e.id = given.id
WHERE NOT EXISTS (SELECT 1 FROM attempts a WHERE a.email = e.id)
  AND NOT EXISTS (SELECT 1 FROM recipients r WHERE r.email = e.id AND r.state <> 'suppressed')
  AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.email = e.id AND q.lease IS NOT NULL AND q.lease <> given.token)`

const REMOVE = `
WITH gone AS (SELECT unnest($1::uuid[]) AS id),
  q AS (DELETE FROM queue USING gone WHERE email = id),
  r AS (DELETE FROM recipients USING gone WHERE email = id),
  v AS (DELETE FROM events USING gone WHERE email = id),
  a AS (DELETE FROM attachments USING gone WHERE email = id)
DELETE FROM emails e USING gone WHERE e.id = gone.id`

const KEYS = unnestSql<DoubtfulEmail>(1, {
  company: int4(({ company }) => company),
  key: text(({ email }) => email.idempotency!.key),
  id: uuid(({ email }) => email.id),
})
const KEYED = 'i.company = t.company AND i.key = t.key COLLATE "C" AND i.email_id = t.id'

const FORGET_KEYS = `DELETE FROM idempotency i USING ${KEYS.as('t')} WHERE ${KEYED}`

/** The rows are locked: a repeated request has either set `repeated` already, or waits and then finds the key free. */
const PROMISED = `
SELECT i.email_id::text AS id, i.repeated FROM ${KEYS.as('t')} JOIN idempotency i ON ${KEYED}
ORDER BY i.company, i.key COLLATE "C" FOR UPDATE OF i`

const RELEASED = unnestSql<DoubtfulEmail>(LEASES.next, { due_at: int8(({ email }) => email.dueAt) })

/** Recipients accepted under a lease become available to every node: their own node has forgotten them. */
const RELEASE = `
UPDATE queue q SET lease = NULL, due_at = t.due_at, ready = true
FROM unnest(${LEASES.params.id}, ${LEASES.params.token}, ${RELEASED.params.due_at}) AS t (email, token, due_at)
WHERE q.email = ANY (ARRAY[t.email]) AND q.lease = t.token`

/**
 * Removes emails that may have been committed although their clients were told that nothing was accepted. Until then,
 * those accepted under a lease are not sent, because no node knows that it holds them. Emails that another node has
 * already begun are kept, and so are those since confirmed to a client that repeated its request. With `together`,
 * either all are removed or none.
 */
export async function withdraw(
  session: DatabaseSession,
  entries: readonly DoubtfulEmail[],
  { together }: { together: boolean },
): Promise<void> {
  const ids = uuids(entries.map(({ email }) => email.id))
  const placeholders = await session.run<{ id: string }>(TAKE_IDS, [ids])
  await session.run(HOLD, [ids])
  const rows = await session.run<{ id: string }>(UNTOUCHED, LEASES.values(entries))
  const gone = new Set(rows.map(({ id }) => id))
  const keyed = entries.filter(({ email }) => email.idempotency !== null && gone.has(email.id))
  if (keyed.length > 0) {
    const held = await session.run<{ id: string; repeated: boolean }>(PROMISED, KEYS.values(keyed))
    for (const { id, repeated } of held) if (repeated) gone.delete(id)
  }
  if (together && gone.size < entries.length) gone.clear()
  const promised = (together ? entries : keyed).filter(({ email, lease }) => {
    return lease !== null && !gone.has(email.id)
  })
  if (promised.length > 0) {
    await session.run(RELEASE, [...LEASES.values(promised), ...RELEASED.values(promised)])
  }
  await session.run(REMOVE, [uuids([...gone])])
  await forgetKeys(
    session,
    keyed.filter(({ email }) => gone.has(email.id)),
  )
  const unstored = new Set(placeholders.map(({ id }) => id))
  // Last: whoever accepts mail of the company waits for this.
  await giveBackQuotas(
    session,
    entries.filter(({ email: { id } }) => gone.has(id) && !unstored.has(id)),
  )
}

/** Frees the keys of emails that are not stored after all. */
export async function forgetKeys(session: DatabaseSession, entries: readonly DoubtfulEmail[]): Promise<void> {
  const keyed = entries.filter(({ email }) => email.idempotency !== null)
  if (keyed.length > 0) await session.run(FORGET_KEYS, KEYS.values(keyed))
}
