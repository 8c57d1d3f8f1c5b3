import type { Lease, NewEmail } from '../store.ts'
import { int4s, int8s, texts, uuids } from './arrays.ts'
import type { Session } from './database.ts'

/** An email of which it may not be known whether it was committed. */
export interface Doubtful {
  email: NewEmail
  lease: Lease | null
  /** Its company's number. */
  company: number
  /** An earlier commit of it may have taken place. */
  doubtful?: boolean
}

/** Takes the id for a moment: that waits until a commit that is still under way has taken place or failed. */
const TAKE_IDS = `
INSERT INTO emails (id, company, created_at, date, size, individual, test_mode, sent, domain_id, key_id, sender, header_from,
  subject, message_id)
SELECT id, 0, 0, 0, 0, false, false, true, '', '', '', '', '', '' FROM unnest($1::uuid[]) AS t (id) ORDER BY id
ON CONFLICT DO NOTHING`

const HOLD = 'SELECT 1 FROM queue WHERE email = ANY ($1::uuid[]) ORDER BY email, position FOR UPDATE'

/** Of which nothing has been tried or ended since, nor is being sent by another node. */
const UNTOUCHED = `
SELECT e.id::text AS id
FROM unnest($1::uuid[], $2::int8[]) AS given (id, token) JOIN emails e ON e.id = given.id
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

const FORGET_KEYS = `
DELETE FROM idempotency i USING unnest($1::int4[], $2::text[], $3::uuid[]) AS t (company, key, id)
WHERE i.company = t.company AND i.key = t.key COLLATE "C" AND i.email_id = t.id`

/** Locked: whoever sends one again comes before, and is seen, or afterwards, and finds the key free. */
const PROMISED = `
SELECT i.email_id::text AS id, i.repeated
FROM unnest($1::int4[], $2::text[], $3::uuid[]) AS t (company, key, id)
JOIN idempotency i ON i.company = t.company AND i.key = t.key COLLATE "C" AND i.email_id = t.id
ORDER BY i.company, i.key COLLATE "C" FOR UPDATE OF i`

const RELEASE = `
UPDATE queue q SET lease = NULL, due_at = t.due_at, ready = true
FROM unnest($1::uuid[], $2::int8[], $3::int8[]) AS t (email, token, due_at)
WHERE q.email = ANY (ARRAY[t.email]) AND q.lease = t.token`

/**
 * Takes out emails whose senders were told that nothing was accepted, while the commit may have taken place. Until then
 * those given in under a lease are not sent: nobody knows that they are leased. What has been begun in spite of that
 * goes on, and so does what was acknowledged since to a sender who repeated it.
 */
export async function withdraw(session: Session, entries: readonly Doubtful[]): Promise<void> {
  const ids = uuids(entries.map(({ email }) => email.id))
  await session.run(TAKE_IDS, [ids])
  await session.run(HOLD, [ids])
  const tokens = int8s(entries.map(({ lease }) => lease?.token ?? 0))
  const rows = await session.run<{ id: string }>(UNTOUCHED, [ids, tokens])
  const gone = new Set(rows.map(({ id }) => id))
  const keyed = entries.filter(({ email }) => email.idempotency !== null && gone.has(email.id))
  if (keyed.length > 0) {
    const held = await session.run<{ id: string; repeated: boolean }>(PROMISED, keysOf(keyed))
    for (const { id, repeated } of held) if (repeated) gone.delete(id)
    const promised = keyed.filter(({ email }) => !gone.has(email.id))
    await release(session, promised)
  }
  await session.run(REMOVE, [uuids([...gone])])
  const forgotten = keyed.filter(({ email }) => gone.has(email.id))
  if (forgotten.length > 0) await session.run(FORGET_KEYS, keysOf(forgotten))
}

/** Those given in under a lease become anybody's: their node has forgotten them. */
async function release(session: Session, entries: readonly Doubtful[]): Promise<void> {
  const leased = entries.filter(({ lease }) => lease !== null)
  if (leased.length === 0) return
  await session.run(RELEASE, [
    uuids(leased.map(({ email }) => email.id)),
    int8s(leased.map(({ lease }) => lease!.token)),
    int8s(leased.map(({ email }) => Math.round(email.dueAt))),
  ])
}

function keysOf(entries: readonly Doubtful[]): Buffer[] {
  return [
    int4s(entries.map(({ company }) => company)),
    texts(entries.map(({ email }) => email.idempotency!.key)),
    uuids(entries.map(({ email }) => email.id)),
  ]
}
