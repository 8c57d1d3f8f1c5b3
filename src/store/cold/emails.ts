/** Emails as the API and the operator read them. */
import { classificationOf } from '../../email/classification.ts'
import { isEmailId } from '../../email/email-id.ts'
import type { EventDetail, EventType } from '../../email/event.ts'
import { fieldsOf, recipientFieldsOf } from '../../email/fields.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import { bodyRead, LAST_EVENT, LAST_REASON, octetsRead, selected } from '../email-columns.ts'
import {
  type AttemptRow,
  type BeginningRow,
  bodiesSelected,
  type ContentRow,
  contentOf,
  type EventRow,
  emailBeginningOf,
  historyOf,
  historyOutlineOf,
  type OutlineAttemptRow,
  type RecipientRow,
  type StateRow,
  type StoredEmailRow,
  storedEmail,
} from '../email-rows.ts'
import { LONGEST_READ } from '../email-store.ts'
import { mapOf } from '../json-columns.ts'
import { FILED_CHARACTERS, FILED_RECIPIENTS } from '../searched-words.ts'
import type { LeaseHolder, RecipientOutline, RecipientValues, StoredOrigin } from '../store.ts'
import { countedState, keyById, PROGRESS, TABLES, tableOf } from './email-tables.ts'
import { emailOctets } from './large-octets.ts'
import type { Operations, PortSteps, Queries, ReadPort } from './port.ts'
import { type ColdStatement, type Dialect, statement } from './statement.ts'

/**
 * The most attempts of an email that are searched for those of a range: the newest. SQLite reads each row whole to see
 * that it belongs to the email.
 */
const ATTEMPTS_LOOKED_AT = 2_000

const ofEmail = ({ engine }: Dialect) =>
  `FROM emails e JOIN companies c ON c.num = e.company ${TABLES[engine].join} WHERE e.id = $1`

/** The length of a value is stored beside it (SQLite: in the header of its row), so no value is read. */
const ORIGIN = statement<StoredOrigin>((dialect) => {
  const table = tableOf(dialect)
  return `SELECT c.id AS "companyId", e.domain_id AS "domainId", e.key_id AS "keyId", e.size,
      ${octetsRead('show', table)} AS octets, ${octetsRead('outline', table)} AS "outlineOctets",
      octet_length(${TABLES[dialect.engine].content}.raw) AS "rawOctets" ${ofEmail(dialect)}`
}, 'email-origin')

const STATUS = ({ engine }: Dialect) =>
  `${TABLES[engine].removed} AS "contentRemoved", ${LAST_EVENT[engine]} AS "lastEvent"`
const SHOWN = emailOctets(fieldsOf('show'))
const EMAIL = statement<StoredEmailRow>((dialect) => {
  const sqlite = () => selected(fieldsOf('show'), tableOf(dialect), bodyRead)
  const columns = dialect.engine === 'postgres' ? SHOWN.selected : sqlite()
  return `SELECT ${columns}, ${STATUS(dialect)} ${ofEmail(dialect)}`
}, 'read-email')
const OUTLINE = statement<StoredEmailRow>(
  (dialect) =>
    `SELECT ${selected(fieldsOf('outline'), tableOf(dialect))}, ${STATUS(dialect)} ${ofEmail(dialect)}`,
)

function recipientsRead(dialect: Dialect, reader: 'show' | 'outline', further: string): string {
  const { state, dueAt, heldFor, join } = PROGRESS[dialect.engine]
  return `SELECT r.position, ${selected(recipientFieldsOf(reader), () => 'r')}, ${state} AS state, r.attempts,
      ${dueAt} AS "dueAt", r.postponed_since AS "postponedSince", ${heldFor} AS "heldFor",
      r.last_code AS "lastCode", r.last_message AS "lastMessage", r.server
    FROM recipients r ${join} WHERE r.email = ${keyById(dialect)} ${further} ORDER BY r.position`
}
const RECIPIENTS = statement<RecipientRow>((dialect) => recipientsRead(dialect, 'show', ''))
const OUTLINE_RECIPIENTS = statement<RecipientOutline>((dialect) =>
  recipientsRead(dialect, 'outline', 'AND r.position >= $2 AND r.position < $3'),
)
const LEASE_HOLDERS = statement<LeaseHolder>((dialect) => {
  const table = { postgres: 'queue', sqlite: 'recipients' }[dialect.engine]
  const isLeased = { postgres: '', sqlite: "AND q.state = 'sending'" }[dialect.engine]
  return `SELECT q.position, n.token, n.name AS node FROM ${table} q JOIN nodes n ON n.token = q.lease
    WHERE q.email = ${keyById(dialect)} AND q.position >= $2 AND q.position < $3 ${isLeased} ORDER BY q.position`
})
const STATES = statement<StateRow>((dialect) => {
  const { join } = PROGRESS[dialect.engine]
  return `SELECT ${countedState(dialect)} AS state, count(*) AS count FROM recipients r ${join}
    WHERE r.email = ${keyById(dialect)} GROUP BY 1`
})
/**
 * The rows up to $4 octets, and the first one whatever its size. `octets` includes all rows before; `own` is above 0.
 */
const HAVE_ROOM = '(octets <= $4 OR (octets = own AND $4 > 0))'
/** The first values of the range $2 to $3, up to $4 octets. */
const VALUES = statement<RecipientValues>(
  (dialect) => `SELECT address, variables FROM (
      SELECT address, variables, position, octet_length(variables) AS own,
        sum(octet_length(variables)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS octets
      FROM recipients WHERE email = ${keyById(dialect)} AND position >= $2 AND position < $3 AND variables IS NOT NULL
    ) chosen WHERE ${HAVE_ROOM} ORDER BY position`,
)

/** Ordered by `number + 0`, which no index has: otherwise PostgreSQL might walk the whole log from one end. */
const EVENTS = statement<EventRow>(
  (dialect) =>
    `SELECT recipient, type, at, detail FROM events WHERE email = ${keyById(dialect)} ORDER BY number + 0`,
)
/** The newest of the range $2 to $3, up to $4 octets. */
const OUTLINE_EVENTS = statement<EventRow>(
  (dialect) => `SELECT recipient, type, at, detail FROM (
      SELECT *, sum(own) OVER (ORDER BY number + 0 DESC ROWS UNBOUNDED PRECEDING) AS octets
      FROM (
        SELECT recipient, type, at, detail, number, 64 + coalesce(octet_length(detail), 0) AS own
        FROM events WHERE email = ${keyById(dialect)} AND (recipient IS NULL OR (recipient >= $2 AND recipient < $3))
      ) ranged
    ) chosen WHERE ${HAVE_ROOM} ORDER BY number + 0 DESC`,
)

const ATTEMPTS = statement<AttemptRow>(
  (dialect) => `SELECT recipients, started_at AS "startedAt", duration, source, server, tls, dialogue
    FROM attempts WHERE email = ${keyById(dialect)} ORDER BY seq`,
)
/** Characters of the end of a dialogue: enough for one line of the longest (src/delivery/smtp/dialogue.ts). */
const ENDING = 1_100
const OUTLINE_ATTEMPTS = statement<OutlineAttemptRow>((dialect) => {
  const list = { postgres: 'json_agg(CAST(value AS integer))::text', sqlite: 'json_group_array(value)' }
  const inRange = `FROM (${dialect.texts('a.recipients')}) AS p
    WHERE CAST(value AS integer) >= $2 AND CAST(value AS integer) < $3`
  const ending = {
    postgres: `right(dialogue, ${ENDING})`,
    sqlite: `substr(dialogue, -${ENDING})`,
  }
  return `SELECT seq AS id, started_at AS "startedAt", duration, source, server, tls, ${ending[dialect.engine]} AS ending,
      (SELECT ${list[dialect.engine]} ${inRange}) AS recipients
    FROM (SELECT * FROM attempts WHERE email = ${keyById(dialect)} ORDER BY seq DESC LIMIT ${ATTEMPTS_LOOKED_AT}) AS a
    WHERE EXISTS (SELECT 1 ${inRange}) ORDER BY seq DESC LIMIT $4`
})
const DIALOGUE = statement<{ dialogue: string }>(
  (dialect) => `SELECT dialogue FROM attempts WHERE email = ${keyById(dialect)} AND seq = $2`,
)

/** The first $2 octets of each body. */
const CONTENT = statement<ContentRow>(({ engine }) => {
  const { content, removed, join } = TABLES[engine]
  const octets = (column: string) => (engine === 'postgres' ? column : `CAST(${column} AS BLOB)`)
  return `SELECT e.individual, e.headers, ${removed} AS "contentRemoved",
      ${bodiesSelected(content, octets, '$2::integer')} FROM emails e ${join} WHERE e.id = $1`
})

/** Files whose names are searched. */
const NAMED_FILES = 20

/** The first $3 octets of the emails $1 of the company $2. */
const BEGINNINGS = statement<BeginningRow>((dialect) => {
  const { content, join } = TABLES[dialect.engine]
  const beginning = (name: 'text' | 'html' | 'raw', further = '') => {
    const column = `${content}.${name}`
    const octets = dialect.engine === 'postgres' || name === 'raw' ? column : `CAST(${column} AS BLOB)`
    return `CASE WHEN octet_length(${column}) <= ${LONGEST_READ} ${further} THEN substr(${octets}, 1, $3::integer) END AS ${name}`
  }
  const name = `substr(a.filename, 1, ${FILED_CHARACTERS})`
  const names =
    dialect.engine === 'postgres'
      ? `string_agg(${name}, chr(10) ORDER BY a.position)`
      : `group_concat(${name}, char(10))`
  return `SELECT e.id, ${beginning('text')}, ${beginning('html', `AND ${content}.text IS NULL`)}, ${beginning('raw')},
      octet_length(${content}.raw) AS "rawOctets", e.raw_files AS "rawFiles",
      (SELECT count(*) FROM attachments a WHERE a.email = e.${dialect.emailKey} AND a.disposition = 'attachment') AS files,
      (SELECT ${names} FROM attachments a WHERE a.email = e.${dialect.emailKey} AND a.position < ${NAMED_FILES}) AS "fileNames"
    FROM (${dialect.ids('$1')}) AS chosen CROSS JOIN emails e ${join}
    WHERE e.id = chosen.id AND ($2::int4 IS NULL OR e.company = $2)`
})

/** Recipients whose answers are searched. */
const ANSWERED = 100

/**
 * Characters of the different answers about an email that are searched: those of ten answers of the greatest length.
 */
const CHARACTERS_OF_ANSWERS = 10 * FILED_CHARACTERS

/** The answers about the emails $1: those about the first recipients, each once. */
const REPLIES = statement<{ id: string; code: number | null; message: string }>(
  (dialect) => `SELECT id, code, message FROM (
      SELECT id, code, message,
        sum(length(message)) OVER (PARTITION BY id ORDER BY first ROWS UNBOUNDED PRECEDING) AS characters
      FROM (
        SELECT e.id, r.last_code AS code, substr(r.last_message, 1, ${FILED_CHARACTERS}) AS message,
          min(r.position) AS first
        FROM (${dialect.ids('$1')}) AS chosen CROSS JOIN emails e
          JOIN recipients r ON r.email = e.${dialect.emailKey}
        WHERE e.id = chosen.id AND r.position < ${ANSWERED} AND r.last_message IS NOT NULL
        GROUP BY 1, 2, 3
      ) AS different
    ) AS counted WHERE characters <= ${CHARACTERS_OF_ANSWERS}`,
)

/** The addresses of the emails $1: those of the first recipients, and those that are among $2, folded. */
const ADDRESSES = statement<{ id: string; address: string }>(
  (dialect) => `SELECT e.id, r.address
    FROM (${dialect.ids('$1')}) AS chosen CROSS JOIN emails e JOIN recipients r ON r.email = e.${dialect.emailKey}
    WHERE e.id = chosen.id
      AND (r.position < ${FILED_RECIPIENTS} OR ${dialect.folded('r.address')} IN (${dialect.texts('$2')}))`,
)

const REASONS = statement<{ id: string; type: EventType; detail: string }>(
  (dialect) => `SELECT id, type, detail FROM (
      SELECT e.id, ${LAST_REASON.type[dialect.engine]} AS type, ${LAST_REASON.detail[dialect.engine]} AS detail
      FROM (${dialect.ids('$1')}) AS chosen CROSS JOIN emails e
      WHERE e.id = chosen.id AND ($2::int4 IS NULL OR e.company = $2)
    ) AS last WHERE detail IS NOT NULL`,
)

function* emailRow(
  db: Queries,
  statement: ColdStatement<StoredEmailRow>,
  id: string,
): PortSteps<StoredEmailRow | undefined> {
  const rows = yield* SHOWN.large.complete(db, yield* db.all(statement, id), () => [id])
  return rows.map((row) => ({ ...row, contentRemoved: Boolean(row.contentRemoved) }))[0]
}

export const emailReads = {
  *emailOrigin(port, id) {
    if (!isEmailId(id)) return null
    return (yield* port.read.one(ORIGIN, id)) ?? null
  },

  *readEmail(port, id) {
    if (!isEmailId(id)) return null
    const row = yield* emailRow(port.read, EMAIL, id)
    return row === undefined ? null : storedEmail(row)
  },

  *readHistory(port, id) {
    if (!isEmailId(id)) return null
    return yield* port.snapshot(function* (db) {
      const row = yield* emailRow(db, EMAIL, id)
      if (row === undefined) return null
      const recipients = yield* db.all(RECIPIENTS, id)
      return historyOf(row, recipients, yield* db.all(EVENTS, id), yield* db.all(ATTEMPTS, id))
    })
  },

  *readOutline(port, id, { from, limit, eventOctets, attempts }) {
    if (!isEmailId(id)) return null
    return yield* port.snapshot(function* (db) {
      const row = yield* emailRow(db, OUTLINE, id)
      if (row === undefined) return null
      const end = from + limit
      return historyOutlineOf(
        row,
        yield* db.all(STATES, id),
        yield* db.all(OUTLINE_RECIPIENTS, id, from, end),
        yield* db.all(OUTLINE_EVENTS, id, from, end, eventOctets),
        yield* db.all(OUTLINE_ATTEMPTS, id, from, end, attempts),
      )
    })
  },

  *readRecipients(port, id, { from, limit }) {
    if (!isEmailId(id)) return []
    return yield* port.read.all(OUTLINE_RECIPIENTS, id, from, from + limit)
  },

  *leaseHolders(port, id, { from, limit }) {
    if (!isEmailId(id)) return []
    return yield* port.read.all(LEASE_HOLDERS, id, from, from + limit)
  },

  *readValues(port, id, { from, limit, octets }) {
    if (!isEmailId(id)) return []
    return yield* port.read.all(VALUES, id, from, from + limit, octets)
  },

  *readDialogue(port, id, attempt) {
    if (!isEmailId(id)) return null
    return (yield* port.read.one(DIALOGUE, id, attempt))?.dialogue ?? null
  },

  *readContent(port, id, octets) {
    if (!isEmailId(id)) return null
    const row = yield* port.read.one(CONTENT, id, octets)
    return row === undefined ? null : contentOf(row)
  },

  *readBeginnings(port, ids, companyId, octets) {
    const company = companyId === null ? null : yield* port.findCompany(companyId)
    if (company === undefined) return []
    const rows = yield* port.read.all(BEGINNINGS, ids.filter(isEmailId), company, octets)
    return rows.map(emailBeginningOf)
  },

  *readReasons(port, ids, companyId) {
    const company = companyId === null ? null : yield* port.findCompany(companyId)
    if (company === undefined) return []
    const rows = yield* port.read.all(REASONS, ids.filter(isEmailId), company)
    return rows.map(({ id, type, detail }) => ({ id, ...classificationOf(type, mapOf<EventDetail>(detail)) }))
  },

  *readAddresses(port, ids, exact) {
    const found = new Map<string, string[]>()
    for (const { id, address } of yield* port.read.all(
      ADDRESSES,
      ids.filter(isEmailId),
      exact.map(foldedAscii),
    )) {
      const known = found.get(id)
      if (known === undefined) found.set(id, [address])
      else known.push(address)
    }
    return [...found].map(([id, addresses]) => ({ id, addresses }))
  },

  *readReplies(port, ids) {
    const replies = new Map<string, Set<string>>()
    for (const { id, code, message } of yield* port.read.all(REPLIES, ids.filter(isEmailId))) {
      const text = code === null || message.startsWith(String(code)) ? message : `${code} ${message}`
      replies.set(id, (replies.get(id) ?? new Set()).add(text))
    }
    return [...replies].map(([id, those]) => ({ id, replies: [...those] }))
  },
} satisfies Operations<ReadPort>
