import { born, bornSuppressed, firstEvent, NOT_SENT } from '../../email/lifecycle/birth.ts'
import { isSimulated } from '../../email/simulated.ts'
import { listText, mapText } from '../json-columns.ts'
import type { NewEmail } from '../store.ts'
import { bools, byteas, encoded, int4s, int8s, texts, uuids } from './arrays.ts'
import type { Statement, Value } from './database.ts'
import type { Entry } from './entry.ts'
import { folded } from './rows.ts'

const MAX_INT4 = 0x7fff_ffff

/**
 * Emails, recipients, live work and first events of a whole group in one statement. Its rows are the recipients that
 * were on a suppression list. ($1-$27: emails, by column. $28-$41: recipients, by column. $42-$45: how who is on a
 * suppression list begins: state, event, and its message before and after the reason. It only chooses between what was
 * decided for either case.)
 */
const INSERT: Statement = {
  name: 'accept',
  text: `
WITH email AS (
  INSERT INTO emails (
    id, company, created_at, scheduled_at, date, size, individual, test_mode, sent, domain_id, key_id, sender,
    header_from, header_to, header_cc, bcc, reply_to, subject, headers, message_id, tags, variables, html, text, raw
  )
  SELECT * FROM unnest(
    $1::uuid[], $2::int4[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::bool[], $8::bool[], $9::bool[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
    $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::bytea[], $24::bytea[], $25::bytea[]
  )
), recipient AS MATERIALIZED (
  SELECT r.*, (SELECT $44 || s.reason || $45 FROM suppressions s WHERE s.company = r.company AND s.folded = r.folded) AS not_sent
  FROM unnest(
    $28::uuid[], $29::int4[], $30::int4[], $31::int4[], $32::int8[], $33::int8[], $34::bool[], $35::text[],
    $36::text[], $37::text[], $38::text[], $39::text[], $40::int8[], $41::int4[]
  ) AS r (email, position, company, size, due_at, lease, ready, kind, address, domain, variables, folded, at, together)
), kept AS (
  INSERT INTO recipients (email, position, kind, state, address, domain, variables, last_message)
  SELECT email, position, kind, CASE WHEN not_sent IS NOT NULL THEN $42 END, address, domain, variables, not_sent
  FROM recipient
), queued AS (
  INSERT INTO queue (email, position, company, size, together, due_at, lease, ready, domain)
  SELECT email, position, company, size, together, due_at, lease, ready, domain
  FROM recipient WHERE not_sent IS NULL
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  SELECT id, company, NULL, at, type, detail
  FROM unnest($1::uuid[], $2::int4[], $3::int8[], $26::text[], $27::text[]) AS first (id, company, at, type, detail)
  UNION ALL
  SELECT email, company, position, at, $43, json_build_object('message', not_sent)::text
  FROM recipient WHERE not_sent IS NOT NULL
)
SELECT email, position FROM recipient WHERE not_sent IS NOT NULL`,
}

const { change, events } = bornSuppressed(0, '')
const SUPPRESSED = [change!.state!, events[0]!.type, NOT_SENT.before, NOT_SENT.after]

type Run = (statement: Statement, values: readonly Value[]) => Promise<{ email: string; position: number }[]>

/** Returns the positions that were suppressed, by email. */
export async function insertEmails(run: Run, entries: readonly Entry[]): Promise<Map<string, Set<number>>> {
  const suppressed = new Map<string, Set<number>>()
  for (const { email, position } of await run(INSERT, [
    ...emailColumns(entries),
    ...recipientColumns(entries),
    ...SUPPRESSED,
  ])) {
    const positions = suppressed.get(email) ?? new Set()
    suppressed.set(email, positions.add(position))
  }
  return suppressed
}

function emailColumns(entries: readonly Entry[]): Buffer[] {
  const emails = entries.map(({ email }) => email)
  const contents = emails.map(({ content }) => content)
  const firsts = emails.map(firstEvent)
  return [
    uuids(emails.map(({ id }) => id)),
    int4s(entries.map(({ company }) => company)),
    int8s(emails.map(({ createdAt }) => Math.round(createdAt))),
    int8s(emails.map(({ scheduled, dueAt }) => (scheduled ? Math.round(dueAt) : null))),
    int8s(contents.map(({ date }) => Math.round(date))),
    int8s(emails.map(({ size }) => Math.round(size))),
    bools(emails.map(({ individual }) => individual)),
    bools(emails.map(({ testMode }) => testMode)),
    bools(emails.map(({ scheduled }) => !scheduled)),
    texts(emails.map(({ domainId }) => domainId)),
    texts(emails.map(({ keyId }) => keyId)),
    texts(emails.map(({ sender }) => sender)),
    texts(contents.map(({ from }) => from)),
    texts(contents.map(({ to }) => listText(to))),
    texts(contents.map(({ cc }) => listText(cc))),
    texts(emails.map(({ bcc }) => listText(bcc))),
    texts(contents.map(({ replyTo }) => listText(replyTo))),
    texts(contents.map(({ subject }) => subject)),
    texts(contents.map(({ headers }) => listText(headers))),
    texts(contents.map(({ messageId }) => messageId)),
    texts(emails.map(({ tags }) => listText(tags))),
    texts(emails.map(({ variables }) => mapText(variables))),
    encoded(contents.map(({ html }) => html ?? null)),
    encoded(contents.map(({ text }) => text ?? null)),
    byteas(emails.map(({ raw }) => raw)),
    texts(firsts.map(({ type }) => type)),
    texts(firsts.map(({ detail }) => mapText(detail))),
  ]
}

function recipientColumns(entries: readonly Entry[]): Buffer[] {
  const ids: string[] = []
  const positions: number[] = []
  const companies: number[] = []
  const sizes: number[] = []
  const dues: (number | null)[] = []
  const leases: (number | null)[] = []
  const ready: boolean[] = []
  const kinds: string[] = []
  const addresses: string[] = []
  const domains: string[] = []
  const variables: (string | null)[] = []
  const compared: (string | null)[] = []
  const times: number[] = []
  const together: number[] = []
  for (const { email, company, lease } of entries) {
    const { state, dueAt } = born(email, lease !== null)
    const isDue = Math.round(email.dueAt) <= email.createdAt
    const size = Math.min(Math.round(email.size), MAX_INT4)
    const token = state === 'sending' ? lease!.token : null
    const atDomain = recipientsByDomain(email)
    for (const [position, recipient] of email.recipients.entries()) {
      ids.push(email.id)
      positions.push(position)
      companies.push(company)
      sizes.push(size)
      dues.push(dueAt === null ? null : Math.round(dueAt))
      leases.push(token)
      ready.push(isDue)
      kinds.push(recipient.kind)
      addresses.push(recipient.address)
      domains.push(recipient.domain)
      variables.push(recipient.variables === null ? null : JSON.stringify(recipient.variables))
      const exempt = isSimulated(recipient.domain, email.testMode)
      compared.push(exempt ? null : folded(recipient.address))
      times.push(Math.round(email.createdAt))
      together.push(atDomain?.get(recipient.domain) ?? 1)
    }
  }
  return [
    uuids(ids),
    int4s(positions),
    int4s(companies),
    int4s(sizes),
    int8s(dues),
    int8s(leases),
    bools(ready),
    texts(kinds),
    texts(addresses),
    texts(domains),
    texts(variables),
    texts(compared),
    int8s(times),
    int4s(together),
  ]
}

/** Null where each recipient has a transaction of its own. */
function recipientsByDomain({ individual, recipients }: NewEmail): Map<string, number> | null {
  if (individual || recipients.length === 1) return null
  const counts = new Map<string, number>()
  for (const { domain } of recipients) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return counts
}
