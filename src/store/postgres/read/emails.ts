import type { EventDetail, EventType } from '../../../events/event.ts'
import type {
  EmailFilter,
  EmailHistory,
  EmailSummary,
  StoredAttempt,
  StoredEmail,
  StoredRecipient,
} from '../../store.ts'
import type { CompanyNumbers } from '../companies.ts'
import type { Database, Session, Statement } from '../database.ts'
import { isEmailId, listOf, mapOf, textOf } from '../rows.ts'

/** The last event of the email `e`. */
const LAST_EVENT = `(SELECT v.type FROM events v WHERE v.email = e.id ORDER BY v.at DESC, v.seq DESC LIMIT 1)`

const EMAIL: Statement = {
  name: 'read-email',
  // Bodies come as octets.
  text: `SELECT e.id, c.id AS "companyId", e.domain_id AS "domainId", e.key_id AS "keyId", e.header_from, e.header_to,
      e.header_cc, e.bcc, e.reply_to, e.subject, e.headers, e.message_id AS "messageId", e.date, e.tags, e.variables,
      e.test_mode AS "testMode", e.created_at AS "createdAt", e.scheduled_at AS "scheduledAt", e.size, e.html, e.text,
      e.content_removed AS "contentRemoved", ${LAST_EVENT} AS "lastEvent"
    FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1`,
}

const RECIPIENTS: Statement = {
  text: `SELECT r.position, r.address, r.kind,
      coalesce(r.state, CASE WHEN q.lease IS NULL THEN 'waiting' ELSE 'leased' END) AS state,
      r.attempts, CASE WHEN q.lease IS NULL THEN q.due_at END AS "dueAt", r.last_code AS "lastCode",
      r.last_message AS "lastMessage", r.server, r.variables
    FROM recipients r LEFT JOIN queue q ON q.email = r.email AND q.position = r.position
    WHERE r.email = $1 ORDER BY r.position`,
}

const EVENTS = 'SELECT recipient, type, at, detail FROM events WHERE email = $1 ORDER BY seq'

const ATTEMPTS = `SELECT recipients, started_at AS "startedAt", duration, server, tls, dialogue
  FROM attempts WHERE email = $1 ORDER BY seq`

const CAPTURED: Statement = {
  text: 'SELECT recipients, raw FROM captured WHERE email = $1 ORDER BY seq',
}

/** The newest of each company ($3, or all) older than the email $2 (or the place it would have), and of these the newest. */
const SUMMARIES = `SELECT e.id, c.id AS "companyId", e.header_from, e.header_to, e.subject, e.created_at AS "createdAt",
    ${LAST_EVENT} AS "lastEvent", e.size
  FROM (
    SELECT newest.* FROM companies c CROSS JOIN LATERAL (
      SELECT e.* FROM emails e
      WHERE e.company = c.num AND ($2::uuid IS NULL OR e.seq < (
        SELECT CASE WHEN b.id = $2 THEN b.seq ELSE b.seq + 1 END FROM emails b WHERE b.id <= $2::uuid ORDER BY b.id DESC LIMIT 1
      ))
      ORDER BY e.seq DESC LIMIT $1
    ) newest
    WHERE $3::integer IS NULL OR c.num = $3 ORDER BY newest.seq DESC LIMIT $1
  ) e JOIN companies c ON c.num = e.company ORDER BY e.seq DESC`

/** What the API and the operator read back about emails. */
export class EmailReader {
  readonly #database: Database
  readonly #companies: CompanyNumbers

  constructor(database: Database, companies: CompanyNumbers) {
    this.#database = database
    this.#companies = companies
  }

  async read(id: string): Promise<StoredEmail | null> {
    if (!isEmailId(id)) return null
    const [row] = await this.#database.read<EmailRow>(EMAIL, [id])
    return row === undefined ? null : storedEmail(row)
  }

  async history(id: string): Promise<EmailHistory | null> {
    if (!isEmailId(id)) return null
    return await this.#database.snapshot((session) => history(session, id))
  }

  async captured(id: string): Promise<{ recipients: number[]; raw: Uint8Array }[]> {
    if (!isEmailId(id)) return []
    const rows = await this.#database.read<{ recipients: string; raw: Uint8Array }>(CAPTURED, [id])
    return rows.map(({ recipients, raw }) => ({ recipients: listOf<number>(recipients), raw }))
  }

  /** Newest first. */
  async list({ companyId, before, limit }: EmailFilter): Promise<EmailSummary[]> {
    if (before !== undefined && !isEmailId(before)) return []
    let company: number | null = null
    if (companyId !== undefined) {
      const known = (await this.#companies.find([companyId])).get(companyId)
      if (known === undefined) return []
      company = known
    }
    const rows = await this.#database.read<SummaryRow>(SUMMARIES, [limit, before ?? null, company])
    return rows.map(({ header_from, header_to, ...rest }) => {
      return { ...rest, from: header_from, to: listOf<string>(header_to) }
    })
  }
}

async function history(session: Session, id: string): Promise<EmailHistory | null> {
  const [row] = await session.run<EmailRow>(EMAIL, [id])
  if (row === undefined) return null
  const recipients = await session.run<RecipientRow>(RECIPIENTS, [id])
  const events = await session.run<EventRow>(EVENTS, [id])
  const attempts = await session.run<AttemptRow>(ATTEMPTS, [id])
  return {
    email: storedEmail(row),
    recipients: recipients.map((recipient): StoredRecipient => {
      const { variables } = recipient
      return { ...recipient, variables: variables === null ? null : mapOf<Record<string, string>>(variables) }
    }),
    events: events.map(({ detail, ...event }) => {
      return { emailId: id, ...event, detail: mapOf<EventDetail>(detail) }
    }),
    attempts: attempts.map((attempt): StoredAttempt => {
      return { ...attempt, recipients: listOf<number>(attempt.recipients) }
    }),
  }
}

interface EmailRow {
  id: string
  companyId: string
  domainId: string
  keyId: string
  header_from: string
  header_to: string | null
  header_cc: string | null
  bcc: string | null
  reply_to: string | null
  subject: string
  headers: string | null
  messageId: string
  date: number
  tags: string | null
  variables: string | null
  testMode: boolean
  createdAt: number
  scheduledAt: number | null
  size: number
  html: Uint8Array | null
  text: Uint8Array | null
  contentRemoved: boolean
  lastEvent: EventType
}

interface RecipientRow extends Omit<StoredRecipient, 'variables'> {
  variables: string | null
}

interface EventRow {
  recipient: number | null
  type: EventType
  at: number
  detail: string | null
}

interface AttemptRow extends Omit<StoredAttempt, 'recipients'> {
  recipients: string
}

interface SummaryRow extends Omit<EmailSummary, 'from' | 'to'> {
  header_from: string
  header_to: string | null
}

function storedEmail(row: EmailRow): StoredEmail {
  const content: StoredEmail['content'] = {
    from: row.header_from,
    to: listOf<string>(row.header_to),
    cc: listOf<string>(row.header_cc),
    replyTo: listOf<string>(row.reply_to),
    subject: row.subject,
    headers: listOf<[string, string]>(row.headers),
    messageId: row.messageId,
    date: row.date,
  }
  if (row.html !== null) content.html = textOf(row.html)
  if (row.text !== null) content.text = textOf(row.text)
  return {
    id: row.id,
    companyId: row.companyId,
    domainId: row.domainId,
    keyId: row.keyId,
    content,
    bcc: listOf<string>(row.bcc),
    tags: listOf<{ name: string; value: string }>(row.tags),
    variables: mapOf<Record<string, string>>(row.variables),
    createdAt: row.createdAt,
    scheduledAt: row.scheduledAt,
    lastEvent: row.lastEvent,
    size: row.size,
    testMode: row.testMode,
    contentRemoved: row.contentRemoved,
  }
}
