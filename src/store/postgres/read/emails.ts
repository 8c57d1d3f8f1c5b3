import { isEmailId } from '../../../email/email-id.ts'
import { LAST_EVENT_TYPES } from '../../../email/event.ts'
import { fieldsOf, recipientFieldsOf } from '../../../email/fields.ts'
import type { LeaseFacts } from '../../../email/lifecycle/attempt.ts'
import { ContentDamaged, claimedRecipient } from '../../content-rows.ts'
import { octetsRead, selected } from '../../email-columns.ts'
import {
  ATTEMPTS_LOOKED_AT,
  type AttemptRow,
  bodiesSelected,
  type CapturedRow,
  type ContentRow,
  capturedOf,
  contentOf,
  type EventRow,
  historyOf,
  historyOutlineOf,
  OUTLINE_EVENTS,
  type OutlineAttemptRow,
  type RecipientRow,
  type StateRow,
  type StoredEmailRow,
  type SummaryRow,
  storedEmail,
  summaryOf,
  VALUES,
} from '../../email-rows.ts'
import {
  type EmailStore,
  type RecipientOutline,
  type RecipientValues,
  StoreDamaged,
  type StoredOrigin,
} from '../../store.ts'
import { loadEmails } from '../contents.ts'
import type { DatabaseSession, Statement } from '../database.ts'
import { emailOctets, LargeOctets } from '../large-octets.ts'
import type { StoreParts } from '../parts.ts'

/**
 * The type of the last event of the email `e`. Ordered by `number + 0`, which no index has: otherwise the planner might
 * walk the log from its end until it meets an event of this email.
 */
export const LAST_EVENT = `(
  SELECT v.type FROM events v WHERE v.email = e.id AND v.type IN (${LAST_EVENT_TYPES.map((type) => `'${type}'`).join()})
  ORDER BY v.number + 0 DESC LIMIT 1)`

/** Compressed values store their length, so the values themselves are not read. */
const OCTETS = octetsRead('show', () => 'e')
const OUTLINE_OCTETS = octetsRead('outline', () => 'e')

const ORIGIN: Statement = {
  name: 'email-origin',
  text: `SELECT c.id AS "companyId", e.domain_id AS "domainId", e.key_id AS "keyId", e.size, ${OCTETS} AS octets, ${OUTLINE_OCTETS} AS "outlineOctets",
      octet_length(e.raw) AS "rawOctets"
    FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1`,
}

const SHOWN = emailOctets(fieldsOf('show'))

const EMAIL: Statement = {
  name: 'read-email',
  text: `SELECT ${SHOWN.selected},
      e.content_removed AS "contentRemoved", ${LAST_EVENT} AS "lastEvent"
    FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1`,
}

const STATE = `coalesce(r.state,
  CASE WHEN q.lease IS NULL THEN 'waiting' WHEN q.lease = 0 THEN 'quarantined' ELSE 'sending' END)`
const WITH_QUEUE = 'FROM recipients r LEFT JOIN queue q ON q.email = r.email AND q.position = r.position'

const recipientsRead = (reader: 'show' | 'outline') =>
  `SELECT r.position, ${selected(recipientFieldsOf(reader), () => 'r')}, ${STATE} AS state,
      r.attempts, CASE WHEN q.lease IS NULL THEN q.due_at END AS "dueAt", r.postponed_since AS "postponedSince", q.held_for AS "heldFor",
      r.last_code AS "lastCode", r.last_message AS "lastMessage", r.server
    ${WITH_QUEUE}`

const RECIPIENTS: Statement = {
  text: `${recipientsRead('show')} WHERE r.email = $1 ORDER BY r.position`,
}

const OUTLINE = `SELECT ${selected(fieldsOf('outline'), () => 'e')},
    e.content_removed AS "contentRemoved", ${LAST_EVENT} AS "lastEvent"
  FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1`

const STATES = `SELECT ${STATE} AS state, count(*)::integer AS count ${WITH_QUEUE} WHERE r.email = $1 GROUP BY 1`

const OUTLINE_RECIPIENTS = `${recipientsRead('outline')}
  WHERE r.email = $1 AND r.position >= $2 AND r.position < $3 ORDER BY r.position`

/** The recipients of the attempt that are in the range. */
const IN_RANGE = `FROM json_array_elements_text(a.recipients::json) AS each(value)
  WHERE value::integer >= $2 AND value::integer < $3`

const OUTLINE_ATTEMPTS = `SELECT seq AS id, started_at AS "startedAt", duration, server, tls,
    (SELECT json_agg(value::integer) ${IN_RANGE})::text AS recipients
  FROM (SELECT * FROM attempts WHERE email = $1 ORDER BY seq DESC LIMIT ${ATTEMPTS_LOOKED_AT}) a
  WHERE EXISTS (SELECT 1 ${IN_RANGE}) ORDER BY seq DESC LIMIT $4`

const DIALOGUE = 'SELECT dialogue FROM attempts WHERE email = $1 AND seq = $2'

const STORED_CONTENT = `SELECT e.individual, e.headers, e.content_removed AS "contentRemoved",
    ${bodiesSelected('e', (column) => column, '$2::integer')}
  FROM emails e WHERE e.id = $1`

const EVENTS = 'SELECT recipient, type, at, detail FROM events WHERE email = $1 ORDER BY number + 0'

const ATTEMPTS = `SELECT recipients, started_at AS "startedAt", duration, server, tls, dialogue
  FROM attempts WHERE email = $1 ORDER BY seq`

const COPY = new LargeOctets({ raw: 'raw' }, 'FROM captured WHERE email = $1 AND seq = $2')

const CAPTURED: Statement = {
  text: `SELECT seq, recipients, ${COPY.selected} FROM captured WHERE email = $1 ORDER BY seq`,
}

/** The first copy, or that of the recipient at $2. */
const CAPTURED_COPY = `SELECT seq, recipients, ${COPY.selected} FROM captured
  WHERE email = $1 AND ($2::integer IS NULL
    OR EXISTS (SELECT 1 FROM json_array_elements_text(recipients::json) AS each(value) WHERE value::integer = $2))
  ORDER BY coalesce((recipients::json ->> 0)::integer, 0) LIMIT 1`

/**
 * The newest emails of each company ($3, or all) that are older than the email $2 (or its place in the order, when it
 * is gone), and of these the newest.
 */
const SUMMARIES = `SELECT ${selected(fieldsOf('list'), () => 'e')}, ${LAST_EVENT} AS "lastEvent"
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

const WORK = `SELECT r.position, ${selected(recipientFieldsOf('queue'), () => 'r')}, r.attempts,
    r.preferred_server AS "preferredServer", r.uncertain, r.postponed_since AS "postponedSince", 0 AS suspicion
  FROM recipients r WHERE r.email = $1 AND ($2::integer IS NULL OR r.position = $2) ORDER BY r.position`

/** Has a column for each field of a claimed recipient. */
interface WorkRow extends LeaseFacts {
  position: number
}

/** Emails as the API and the operator read them. */
export function emails({
  database,
  companies,
}: StoreParts): Omit<
  EmailStore,
  | 'accept'
  | 'acceptAll'
  | 'reschedule'
  | 'cancelScheduled'
  | 'repeated'
  | 'listFiles'
  | 'readFile'
  | 'readRaw'
> {
  return {
    async emailOrigin(id) {
      if (!isEmailId(id)) return null
      const [row] = await database.read<StoredOrigin>(ORIGIN, [id])
      return row ?? null
    },

    async readEmail(id) {
      if (!isEmailId(id)) return null
      const row = await shown(database.reads, id)
      return row === undefined ? null : storedEmail(row)
    },

    async readHistory(id) {
      if (!isEmailId(id)) return null
      return await database.snapshot(async (session) => {
        const row = await shown(session, id)
        if (row === undefined) return null
        const recipients = await session.run<RecipientRow>(RECIPIENTS, [id])
        const events = await session.run<EventRow>(EVENTS, [id])
        const attempts = await session.run<AttemptRow>(ATTEMPTS, [id])
        return historyOf(row, recipients, events, attempts)
      })
    },

    async readWork(id, copy) {
      if (!isEmailId(id)) return null
      return await database.snapshot(async (session) => {
        const loaded = (await loadEmails(session, [id])).get(id)
        if (loaded === undefined) return null
        const { email } = readBack(id, loaded)
        const rows = await session.run<WorkRow>(WORK, [id, email.individual ? (copy ?? null) : null])
        return { ...email, recipients: rows.map((row) => readBack(id, claimedRecipient(row))) }
      })
    },

    async readOutline(id, { from, limit, eventOctets, attempts }) {
      if (!isEmailId(id)) return null
      return await database.snapshot(async (session) => {
        const [row] = await session.run<StoredEmailRow>(OUTLINE, [id])
        if (row === undefined) return null
        const end = from + limit
        return historyOutlineOf(
          row,
          await session.run<StateRow>(STATES, [id]),
          await session.run<RecipientOutline>(OUTLINE_RECIPIENTS, [id, from, end]),
          await session.run<EventRow>(OUTLINE_EVENTS, [id, from, end, eventOctets]),
          await session.run<OutlineAttemptRow>(OUTLINE_ATTEMPTS, [id, from, end, attempts]),
        )
      })
    },

    async readRecipients(id, { from, limit }) {
      if (!isEmailId(id)) return []
      return await database.read<RecipientOutline>(OUTLINE_RECIPIENTS, [id, from, from + limit])
    },

    async readValues(id, { from, limit, octets }) {
      if (!isEmailId(id)) return []
      return await database.read<RecipientValues>(VALUES, [id, from, from + limit, octets])
    },

    async readDialogue(id, attempt) {
      if (!isEmailId(id)) return null
      const [row] = await database.read<{ dialogue: string }>(DIALOGUE, [id, attempt])
      return row?.dialogue ?? null
    },

    async readContent(id, octets) {
      if (!isEmailId(id)) return null
      const [row] = await database.read<ContentRow>(STORED_CONTENT, [id, octets])
      return row === undefined ? null : contentOf(row)
    },

    async readCapturedCopy(id, position) {
      if (!isEmailId(id)) return null
      const keyOf = ({ seq }: CopyRow) => [id, seq]
      const rows = await COPY.read<CopyRow>(database.reads, CAPTURED_COPY, [id, position], keyOf)
      return capturedOf(rows)[0] ?? null
    },

    async readCaptured(id) {
      if (!isEmailId(id)) return []
      const keyOf = ({ seq }: CopyRow) => [id, seq]
      return capturedOf(await COPY.read<CopyRow>(database.reads, CAPTURED, [id], keyOf))
    },

    /** Newest first. */
    async listEmails({ companyId, before, limit }) {
      if (before !== undefined && !isEmailId(before)) return []
      const company = await companies.filter(companyId)
      if (company === undefined) return []
      const rows = await database.read<SummaryRow>(SUMMARIES, [limit, before ?? null, company])
      return rows.map(summaryOf)
    },
  }
}

interface CopyRow extends CapturedRow {
  seq: number
}

async function shown(session: Pick<DatabaseSession, 'run'>, id: string): Promise<StoredEmailRow | undefined> {
  const [row] = await SHOWN.large.read<StoredEmailRow>(session, EMAIL, [id], () => [id])
  return row
}

function readBack<T>(id: string, found: T | ContentDamaged): T {
  if (!(found instanceof ContentDamaged)) return found
  throw new StoreDamaged(`The stored content of the email ${id} is damaged: ${found.message}`)
}
