import { KEY_REMEMBERED_MS } from '../../email/queued-email.ts'
import type { Accepted, NewEmail } from '../store.ts'
import { given, int4, int8, text, uuid } from './columns.ts'
import type { Session } from './database.ts'
import type { Entry } from './entry.ts'

/** The email for which a key was used first. */
interface KeyHolder {
  id: string
  messageId: string
  fingerprint: string
}

interface KeyRow extends KeyHolder {
  company: number
  key: string
}

const KEYS = given<Entry>(1, {
  company: int4(({ company }) => company),
  key: text(({ email }) => email.idempotency!.key),
})
const TAKEN = given<Entry>(1, {
  company: int4(({ company }) => company),
  key: text(({ email }) => email.idempotency!.key),
  fingerprint: text(({ email }) => email.idempotency!.fingerprint),
  email_id: uuid(({ email }) => email.id),
  message_id: text(({ email }) => email.content.messageId),
  created_at: int8(({ email }) => email.createdAt),
})

/**
 * A key of the same company in another transaction under way is waited for: in one order, so that no two wait for each
 * other.
 */
const TAKE = {
  name: 'take-keys',
  text: `
INSERT INTO idempotency AS held (${TAKEN.names})
SELECT * FROM ${TAKEN.as('t')} ORDER BY company, key COLLATE "C"
ON CONFLICT (company, key) DO UPDATE
  SET fingerprint = excluded.fingerprint, email_id = excluded.email_id, message_id = excluded.message_id,
      created_at = excluded.created_at, repeated = false
  WHERE held.created_at <= excluded.created_at - ${KEY_REMEMBERED_MS}
RETURNING email_id AS id`,
}

const HOLDERS = {
  name: 'key-holders',
  text: `
SELECT i.company, i.key, i.fingerprint, i.email_id AS id, i.message_id AS "messageId"
FROM ${KEYS.as('t')} JOIN idempotency i ON i.company = ANY (ARRAY[t.company]) AND i.key = t.key COLLATE "C"`,
}

/** Rows that TAKE has locked, so that no withdrawal comes in between. */
const REPEATED = {
  name: 'repeated-keys',
  text: `
UPDATE idempotency i SET repeated = true FROM ${KEYS.as('t')}
WHERE i.company = t.company AND i.key = t.key COLLATE "C" AND NOT i.repeated`,
}

/** Takes the keys of a group's emails. For each that has one: the email its key stands for, which may be itself. */
export async function takeKeys(session: Session, entries: readonly Entry[]): Promise<Map<Entry, KeyHolder>> {
  const byKey = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.email.idempotency === null) continue
    const name = nameOf(entry.company, entry.email.idempotency.key)
    byKey.set(name, [...(byKey.get(name) ?? []), entry])
  }
  if (byKey.size === 0) return new Map()

  // A key comes once in a statement; the others of a group that bear it are judged by what became of it.
  const firsts = [...byKey.values()].map(([first]) => first!)
  const taken = await session.run<{ id: string }>(TAKE, TAKEN.values(firsts))
  const holders = new Map<string, KeyHolder>()
  if (taken.length < firsts.length) {
    for (const row of await session.run<KeyRow>(HOLDERS, KEYS.values(firsts))) {
      holders.set(nameOf(row.company, row.key), row)
    }
  }
  const result = new Map<Entry, KeyHolder>()
  for (const [name, bearers] of byKey) {
    const holder = holders.get(name) ?? holderFrom(bearers[0]!.email)
    for (const entry of bearers) result.set(entry, holder)
  }
  return result
}

/** Notes that the emails these keys stand for have been promised to somebody who sent them again. */
export async function noteRepeated(session: Session, entries: readonly Entry[]): Promise<void> {
  if (entries.length > 0) await session.run(REPEATED, KEYS.values(entries))
}

/** What an email is answered whose key stands for another one. */
export function judge(email: NewEmail, { id, messageId, fingerprint }: KeyHolder): Accepted {
  return email.idempotency?.fingerprint === fingerprint
    ? { kind: 'repeated', id, messageId }
    : { kind: 'conflict' }
}

function holderFrom({ id, content, idempotency }: NewEmail): KeyHolder {
  return { id, messageId: content.messageId, fingerprint: idempotency!.fingerprint }
}

function nameOf(company: number, key: string): string {
  return `${company}\0${key}`
}
