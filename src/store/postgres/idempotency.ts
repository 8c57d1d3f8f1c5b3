import { KEY_REMEMBERED_MS } from '../../email/queued-email.ts'
import { emailsOf, type KeyHolder } from '../idempotency.ts'
import type { EmailStore, NewEmail } from '../store.ts'
import { int4, int8, text, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession } from './database.ts'
import type { StoreParts } from './parts.ts'
import type { PendingEmail } from './pending-email.ts'

interface IdempotencyKeyRow extends KeyHolder {
  company: number
  key: string
}

const KEYS = unnestSql<PendingEmail>(1, {
  company: int4(({ company }) => company),
  key: text(({ email }) => email.idempotency!.key),
})
const TAKEN = unnestSql<PendingEmail>(1, {
  company: int4(({ company }) => company),
  key: text(({ email }) => email.idempotency!.key),
  fingerprint: text(({ email }) => email.idempotency!.fingerprint),
  email_id: uuid(({ email }) => email.id),
  message_id: text(({ email }) => email.content.messageId),
  created_at: int8(({ email }) => email.createdAt),
})

/**
 * Waits for a key of the same company in another open transaction: in one order, so that no two transactions wait for
 * each other.
 */
const TAKE = {
  name: 'take-keys',
  text: `
INSERT INTO idempotency AS held (${TAKEN.names})
SELECT * FROM ${TAKEN.as('t')} ORDER BY company, key COLLATE "C"
ON CONFLICT (company, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, email_id = excluded.email_id, message_id = excluded.message_id,
      created_at = excluded.created_at, repeated = false, emails = NULL
  WHERE held.created_at <= excluded.created_at - ${KEY_REMEMBERED_MS}
RETURNING email_id AS id`,
}

const HOLDERS = {
  name: 'key-holders',
  text: `
SELECT i.company, i.key, i.fingerprint, i.email_id AS id, i.message_id AS "messageId", i.emails
FROM ${KEYS.as('t')} JOIN idempotency i ON i.company = ANY (ARRAY[t.company]) AND i.key = t.key COLLATE "C"`,
}

/** TAKE has locked these rows, so no withdrawal comes in between. */
const REPEATED = {
  name: 'repeated-keys',
  text: `
UPDATE idempotency i SET repeated = true FROM ${KEYS.as('t')}
WHERE i.company = t.company AND i.key = t.key COLLATE "C" AND NOT i.repeated`,
}

const ALL = {
  name: 'emails-of-key',
  text: 'UPDATE idempotency SET emails = $3 WHERE company = $1 AND key = $2',
}

const PROMISE = {
  name: 'promise-again',
  text: `
UPDATE idempotency SET repeated = true
WHERE company = $1 AND key = $2 AND fingerprint = $3 AND created_at > $4
RETURNING email_id AS id, message_id AS "messageId", emails`,
}

/** Requests that may be repetitions, checked before anything else is done for them. */
export function idempotencyReads({ database, companies }: StoreParts): Pick<EmailStore, 'repeated'> {
  return {
    async repeated(companyId, { key, fingerprint }, at) {
      const company = await companies.number(companyId)
      const since = Math.round(at) - KEY_REMEMBERED_MS
      const [found] = await database.transaction((session) =>
        session.run<Omit<KeyHolder, 'fingerprint'>>(PROMISE, [company, key, fingerprint, since]),
      )
      return found === undefined ? null : emailsOf(found)
    },
  }
}

/**
 * Takes the keys of a group's emails. Returns, for each email with a key, the email that its key belongs to, which may
 * be itself.
 */
export async function takeKeys(
  session: DatabaseSession,
  entries: readonly PendingEmail[],
): Promise<Map<PendingEmail, KeyHolder>> {
  const byKey = new Map<string, PendingEmail[]>()
  for (const entry of entries) {
    if (entry.email.idempotency === null) continue
    const name = nameOf(entry.company, entry.email.idempotency.key)
    byKey.set(name, [...(byKey.get(name) ?? []), entry])
  }
  if (byKey.size === 0) return new Map()

  // A key may occur only once in a statement; other emails of the group with the same key follow its outcome.
  const firsts = [...byKey.values()].map(([first]) => first!)
  const taken = await session.run<{ id: string }>(TAKE, TAKEN.values(firsts))
  const holders = new Map<string, KeyHolder>()
  if (taken.length < firsts.length) {
    for (const row of await session.run<IdempotencyKeyRow>(HOLDERS, KEYS.values(firsts))) {
      holders.set(nameOf(row.company, row.key), row)
    }
  }
  const result = new Map<PendingEmail, KeyHolder>()
  for (const [name, bearers] of byKey) {
    const holder = holders.get(name) ?? holderFrom(bearers[0]!.email)
    for (const entry of bearers) result.set(entry, holder)
  }
  return result
}

/** Marks the emails of these keys as promised to a client that repeated its request. */
export async function markRepeated(
  session: DatabaseSession,
  entries: readonly PendingEmail[],
): Promise<void> {
  if (entries.length > 0) await session.run(REPEATED, KEYS.values(entries))
}

/** Stores which emails came with a key, taken for the first of them. */
export async function storeEmailsOfKey(
  session: DatabaseSession,
  { company, email }: PendingEmail,
  all: string,
): Promise<void> {
  await session.run(ALL, [company, email.idempotency!.key, all])
}

function holderFrom({ id, content, idempotency }: NewEmail): KeyHolder {
  return { id, messageId: content.messageId, fingerprint: idempotency!.fingerprint, emails: null }
}

function nameOf(company: number, key: string): string {
  return `${company}\0${key}`
}
