/** Returned mail, kept with its outcome. */

import { isEmailId } from '../../email/email-id.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import type {
  InboundArrival,
  InboundFilter,
  InboundMail,
  InboundOutcome,
  InboundResult,
} from '../../email/inbound-mail.ts'
import type { RecipientState } from '../../email/recipient.ts'
import type { AddressedRecipient, ReportedEmail } from '../inbound-store.ts'
import { type EmailKey, nameOf, type RecipientKey } from '../recipient-decision.ts'
import { Conditions } from './conditions.ts'
import { PROGRESS } from './email-tables.ts'
import { forgetBefore } from './forgetting.ts'
import { findEmails } from './live-recipients.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import {
  announceReports,
  knownReports,
  lockPlaces,
  type PlacedReport,
  recordReports,
  withPlace,
} from './reports.ts'
import { type ColdStatement, type Dialect, dynamicStatement, statement } from './statement.ts'

/**
 * Mails that changed nothing, of which the newest are kept. Strangers can send as many as they like, and must not have
 * the mail of others removed: so an email and a company have shares of their own, for each outcome, and so has mail
 * about no email. Of such mail, each network of clients has a share for all outcomes, and so has each company that
 * hands it in.
 */
export const KEPT_MAILS = { ofEmail: 100, ofCompany: 2_000, ofNobody: 4_000, ofClient: 100, handedIn: 100 }
/**
 * Mails that led to events, of which the newest are kept whole; of older ones the beginning stays. A recipient can
 * report on an email some sixty times, and may have many emails: so each network of clients has a share of each
 * company's.
 */
export const WHOLE = { ofCompany: 2_000, ofClient: 500 }
/** Octets of the beginning that stays: the header, and often the report. The indexes contain this number, too. */
const BEGINNING = 4_096
/** Excess mails removed or shortened at once: a commit adds fewer to a share. */
const STEP = 200

/** A kept mail, with the columns that name its shares. */
interface KeptRow {
  id: string
  company: number | null
  emailId: string | null
  outcome: InboundOutcome
  handedInBy: number | null
  client: string | null
  /** The octets of the message that are kept. */
  octets: number
}

interface EmailRow {
  id: string
  key: EmailKey
  companyId: string
  keyId: string
  messageId: string
  sender: string
  size: number | bigint
  reports: number | bigint
}

const EMAILS = statement<EmailRow>(({ engine, emailKey, ids }) => {
  const id = engine === 'postgres' ? 'e.id::text' : 'e.id'
  return `SELECT ${id} AS id, e.${emailKey} AS key, c.id AS "companyId", e.key_id AS "keyId", e.message_id AS "messageId", e.sender,
      (SELECT position + 1 FROM recipients WHERE email = e.${emailKey} ORDER BY position DESC LIMIT 1) AS size,
      (SELECT count(*) FROM inbound_mails WHERE email_id = ${id} AND outcome = 'recorded') AS reports
    FROM (${ids('$1')}) AS chosen CROSS JOIN emails e JOIN companies c ON c.num = e.company WHERE e.id = chosen.id`
}, 'reported-emails')

type NamedRow = Omit<AddressedRecipient, 'unsettled'> & {
  email: EmailKey
  state: RecipientState
  uncertain: number | boolean
}

/** The facts about recipients `r`; `from` begins with the tables in front of them. */
function namedRecipients({ engine }: Dialect, from: string): string {
  const { state, join } = PROGRESS[engine]
  return `SELECT r.email, r.position, r.address, r.server, r.uncertain, ${state} AS state FROM ${from} recipients r ${join}`
}

const AT_PLACES = statement<NamedRow>((dialect) => {
  const { engine, rows } = dialect
  const columns = { email: engine === 'postgres' ? 'uuid' : 'integer', position: 'integer' } as const
  return `${namedRecipients(dialect, `${rows('$1', columns)} CROSS JOIN`)}
    WHERE r.email = j.email AND r.position = j.position`
}, 'recipients-at-places')

const AT_ADDRESSES = statement<NamedRow>((dialect) => {
  const { folded, texts } = dialect
  return `${namedRecipients(dialect, '')} WHERE r.email = $1 AND ${folded('r.address')} IN (${texts('$2')})
    ORDER BY r.position`
}, 'recipients-at-addresses')

const WITH_MESSAGE_ID = statement<{ id: string }>(({ engine, emailKey }) => {
  const [id, newest] = engine === 'postgres' ? ['id::text', 'seq'] : ['id', emailKey]
  return `SELECT id FROM emails WHERE message_id = $1 AND substr(message_id, 2, 36) <> ${id}
      AND substr(sender, length(sender) - length($2::text)) = '@' || $2
    ORDER BY ${newest} DESC LIMIT 1`
})

/** The condition that the mail was kept before, and that its earlier outcome says more. */
const OUTCOME_STAYS = `inbound_mails.outcome = 'recorded' OR excluded.outcome = 'repeated'
          OR (excluded.email_id IS NULL AND inbound_mails.email_id IS NOT NULL)`

const KEEP = statement<KeptRow>(
  `INSERT INTO inbound_mails (id, digest, at, source, peer, recipient, sender, subject, kind, company, email_id, outcome,
      events, findings, size, raw, client, note, handed_in_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
      (SELECT num FROM companies WHERE id = $19))
    ON CONFLICT (digest) DO UPDATE SET times = inbound_mails.times + 1, events = inbound_mails.events + excluded.events,
      company = coalesce(inbound_mails.company, excluded.company),
      email_id = coalesce(inbound_mails.email_id, excluded.email_id),
      outcome = CASE WHEN ${OUTCOME_STAYS} THEN inbound_mails.outcome ELSE excluded.outcome END,
      note = CASE WHEN ${OUTCOME_STAYS} THEN inbound_mails.note ELSE excluded.note END,
      raw = CASE WHEN octet_length(excluded.raw) = 0 THEN excluded.raw ELSE inbound_mails.raw END
    RETURNING id, company, email_id AS "emailId", outcome, handed_in_by AS "handedInBy", client, octet_length(raw) AS octets`,
)

/** The oldest mails of a share, without the mails that another node is removing. */
function excess({ isAmong }: Dialect, share: string, kept: number): string {
  const oldest = `FROM inbound_mails WHERE ${share} ORDER BY id DESC LIMIT ${STEP} OFFSET ${kept}`
  const free = `FROM inbound_mails WHERE ${isAmong('id', oldest)} FOR UPDATE SKIP LOCKED`
  return isAmong('id', free)
}

function trim(share: string, kept: number): ColdStatement {
  return statement((dialect) => `DELETE FROM inbound_mails WHERE ${excess(dialect, share, kept)}`)
}

/** Leaves the beginning of the oldest mails of a share. */
function shorten(owner: string, whole: number): ColdStatement {
  const share = `${owner} AND outcome = 'recorded' AND octet_length(raw) > ${BEGINNING}`
  return statement(
    (dialect) =>
      `UPDATE inbound_mails SET raw = substr(raw, 1, ${BEGINNING}) WHERE ${excess(dialect, share, whole)}`,
  )
}

const TRIM_EMAIL = trim('email_id = $1 AND outcome = $2', KEPT_MAILS.ofEmail)
const TRIM_COMPANY = trim('company = $1 AND outcome = $2', KEPT_MAILS.ofCompany)
const TRIM_HANDED_IN = trim('handed_in_by = $1 AND email_id IS NULL', KEPT_MAILS.handedIn)
const TRIM_CLIENT = trim('client = $1 AND email_id IS NULL', KEPT_MAILS.ofClient)
const TRIM_OTHERS = trim('outcome = $1 AND handed_in_by IS NULL AND email_id IS NULL', KEPT_MAILS.ofNobody)
const SHORTEN_COMPANY = shorten('company = $1', WHOLE.ofCompany)
const SHORTEN_CLIENT = shorten('company = $1 AND client = $2', WHOLE.ofClient)
const FORGET = forgetBefore('inbound_mails', 'id', 'at')
const RAW = statement<{ raw: Uint8Array }>('SELECT raw FROM inbound_mails WHERE id = $1')

type InboundRow = Omit<InboundMail, 'findings' | 'at' | 'size'> & {
  findings: string
  at: number | bigint
  size: number | bigint
}

export const inboundMailReads = {
  *reportedEmails(port, named) {
    const ids = [...new Set(named.map(({ id }) => id))].filter(isEmailId)
    const emails = ids.length === 0 ? [] : yield* port.look.all(EMAILS, ids)
    const found = new Map(emails.map((email) => [email.id, email]))
    const asked = named.map(({ id, position, addresses }) => {
      const email = found.get(id)
      return email && { email, place: placeOf(email, position), addresses }
    })
    const places = asked.flatMap((each) => each?.place ?? [])
    const rows = places.length === 0 ? [] : yield* port.look.all(AT_PLACES, places)
    const atPlaces = new Map(rows.map((row) => [nameOf(row), row]))
    const answers: (ReportedEmail | null)[] = []
    for (const each of asked) {
      if (each === undefined) answers.push(null)
      else if (each.place !== null) answers.push(reportedEmail(each.email, atPlaces.get(nameOf(each.place))))
      else answers.push(reportedEmail(each.email, ...(yield* atAddresses(port, each.email, each.addresses))))
    }
    return answers
  },

  *emailWithMessageId(port, messageId, domain) {
    return (yield* port.look.one(WITH_MESSAGE_ID, messageId, domain))?.id ?? null
  },

  *inboundMails(port, filter) {
    const [page, values] = pageOf(filter)
    const found = (yield* port.read.all(page, ...values)).map(
      (row): InboundMail => ({
        ...row,
        at: Number(row.at),
        size: Number(row.size),
        findings: JSON.parse(row.findings),
      }),
    )
    return filter.before === undefined ? found : found.toReversed()
  },

  *readInboundMail(port, id) {
    return (yield* port.read.one(RAW, id))?.raw ?? null
  },
} satisfies Operations<ReadPort>

/** The place of the recipient that a mail is about; null: it is found by the addresses. */
function placeOf({ key, size }: EmailRow, position: number | null): RecipientKey | null {
  if (position !== null) return { email: key, position }
  return Number(size) === 1 ? { email: key, position: 0 } : null
}

/**
 * Mails are looked up together, so an address that PostgreSQL does not accept as text must not make the look-up of the
 * others fail.
 */
function* atAddresses(
  port: ReadPort,
  { key }: EmailRow,
  addresses: readonly string[],
): PortSteps<NamedRow[]> {
  const possible = addresses.filter((address) => address.isWellFormed() && !address.includes('\0'))
  if (possible.length === 0) return []
  return yield* port.look.all(AT_ADDRESSES, key, possible.map(foldedAscii))
}

function reportedEmail(
  { key: _, size, reports, ...email }: EmailRow,
  ...recipients: (NamedRow | undefined)[]
): ReportedEmail {
  return {
    ...email,
    size: Number(size ?? 0),
    reports: Number(reports),
    recipients: recipients.flatMap((row) => (row === undefined ? [] : [recipientOf(row)])),
  }
}

function recipientOf({ state, uncertain, email: _, ...recipient }: NamedRow): AddressedRecipient {
  return { ...recipient, unsettled: state === 'failed' || (state === 'waiting' && Boolean(uncertain)) }
}

/** An arrival with the keys of what it is about. */
interface PlacedArrival extends InboundArrival {
  company: number | null
  placed: PlacedReport[]
}

export const inboundMailWrites = {
  *keepInboundMails(port, arrivals) {
    const emails = yield* findEmails(
      port,
      arrivals.flatMap(({ mail }) => mail.emailId ?? []),
    )
    const placed = arrivals.map((arrival): PlacedArrival => {
      const company = emails.get(arrival.mail.emailId ?? '')?.company ?? null
      return { ...arrival, company, placed: arrival.reports.flatMap((report) => withPlace(emails, report)) }
    })
    const all = placed.flatMap((arrival) => arrival.placed)
    const outcome = yield* port.transaction(function* (db) {
      const recipients = yield* lockPlaces(db, all)
      const known = yield* knownReports(db, all)
      const sum = { unqueued: false, suppressed: false }
      const results: InboundResult[] = []
      const rows: KeptRow[] = []
      for (const arrival of placed) {
        const recorded = yield* recordReports(db, arrival.placed, recipients, known)
        sum.unqueued ||= recorded.unqueued
        sum.suppressed ||= recorded.suppressed
        const { row, ...result } = yield* keep(db, arrival, recorded.events)
        rows.push(row)
        results.push(result)
      }
      // At the end, when this transaction no longer waits for others.
      for (const [trimming, ...share] of sharesOf(rows)) yield* db.run(trimming, ...share)
      return { ...sum, results }
    })
    announceReports(port, outcome)
    return outcome.results
  },

  *forgetInboundMails(port, before, limit) {
    return yield* port.write.run(FORGET, Math.round(before), limit)
  },
} satisfies Operations<Port>

function* keep(
  db: PortTransaction,
  { mail, company, client, handedInBy }: PlacedArrival,
  events: number,
): PortSteps<InboundResult & { row: KeptRow }> {
  const { id, digest, at, source, peer, recipient, from, subject, kind, emailId, refused, size, raw } = mail
  const outcome = refused ?? (events > 0 ? 'recorded' : 'repeated')
  const texts = [peer, recipient, from, subject].map((text) => text?.replaceAll('\0', '') ?? null)
  const row = (yield* db.one(
    KEEP,
    ...[id, digest, Math.round(at), source, ...texts, kind, company, emailId, outcome, events],
    ...[JSON.stringify(mail.findings), size, raw, client ?? null, mail.note, handedInBy ?? null],
  ))!
  return { id: row.id, outcome, events, row }
}

type Share = [trimming: ColdStatement, ...values: (string | number | null)[]]

/** The shares that grew by these mails, each once. */
function sharesOf(rows: readonly KeptRow[]): Share[] {
  const shares = rows.flatMap(({ company, emailId, outcome, handedInBy, client, octets }): Share[] => {
    if (outcome === 'recorded') {
      if (octets <= BEGINNING) return []
      const ofCompany: Share = [SHORTEN_COMPANY, company]
      return client === null ? [ofCompany] : [ofCompany, [SHORTEN_CLIENT, company, client]]
    }
    if (emailId !== null) {
      return [
        [TRIM_EMAIL, emailId, outcome],
        [TRIM_COMPANY, company, outcome],
      ]
    }
    if (handedInBy !== null) return [[TRIM_HANDED_IN, handedInBy]]
    const others: Share = [TRIM_OTHERS, outcome]
    return client === null ? [others] : [[TRIM_CLIENT, client], others]
  })
  const named = shares.map((share): [string, Share] => [JSON.stringify(share), share])
  return [...new Map(named).values()]
}

function pageOf(filter: InboundFilter): [page: ColdStatement<InboundRow>, values: Conditions['values']] {
  const { companyId, id, emailId, kind, outcome } = filter
  const conditions = new Conditions()
  conditions.ofCompany('m.company', companyId)
  conditions.where(id, (place) => `m.id = ${place}`)
  conditions.where(emailId, (place) => `m.email_id = ${place}`)
  conditions.where(kind, (place) => `m.kind = ${place}`)
  conditions.where(outcome, (place) => `m.outcome = ${place}`)
  const page = `SELECT m.id, m.at, m.times, m.source, m.peer, m.recipient, m.sender AS "from", m.subject,
      m.kind, c.id AS "companyId", m.email_id AS "emailId", m.outcome, m.note, m.events, m.findings, m.size,
      octet_length(m.raw) AS kept
    FROM inbound_mails m LEFT JOIN companies c ON c.num = m.company ${conditions.page('m.id', filter)}`
  return [dynamicStatement(page), conditions.values]
}
