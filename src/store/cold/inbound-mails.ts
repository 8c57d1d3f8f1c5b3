/** Returned mail, kept with its outcome. */

import { isEmailId } from '../../email/email-id.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import {
  INBOUND_OUTCOMES,
  type InboundArrival,
  type InboundFilter,
  type InboundMail,
  type InboundResult,
} from '../../email/inbound-mail.ts'
import type { RecipientState } from '../../email/recipient.ts'
import type { AddressedRecipient } from '../inbound-store.ts'
import type { EmailKey } from '../recipient-decision.ts'
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
  placedIn,
  recordReports,
} from './reports.ts'
import { type ColdStatement, dynamicStatement, statement } from './statement.ts'

/** Mails kept of each outcome that changed nothing: strangers can send as many as they like. */
export const UNRECORDED_KEPT = 2_000
/** Excess mails removed by one statement. */
const STEP = 1_000

const EMAIL = statement<{
  key: EmailKey
  companyId: string
  messageId: string
  sender: string
  size: number | bigint
  reports: number | bigint
}>(
  ({ emailKey }) => `SELECT e.${emailKey} AS key, c.id AS "companyId", e.message_id AS "messageId", e.sender,
      (SELECT position + 1 FROM recipients WHERE email = e.${emailKey} ORDER BY position DESC LIMIT 1) AS size,
      (SELECT count(*) FROM inbound_mails WHERE email_id = $2::text AND outcome = 'recorded') AS reports
    FROM emails e JOIN companies c ON c.num = e.company WHERE e.id = $1`,
  'reported-email',
)

type NamedRow = Omit<AddressedRecipient, 'unsettled'> & { state: RecipientState; uncertain: number | boolean }
/** No recipient has this position. */
const NOBODY = -1
/** At a position, or at one of the addresses. */
const NAMED = statement<NamedRow>((dialect) => {
  const { state, join } = PROGRESS[dialect.engine]
  return `SELECT r.position, r.address, r.server, r.uncertain, ${state} AS state FROM recipients r ${join}
    WHERE r.email = $1 AND (r.position = $2 OR ${dialect.folded('r.address')} IN (${dialect.texts('$3')}))
    ORDER BY r.position`
}, 'reported-recipients')

const WITH_MESSAGE_ID = statement<{ id: string }>(({ engine, emailKey }) => {
  const [id, newest] = engine === 'postgres' ? ['id::text', 'seq'] : ['id', emailKey]
  return `SELECT id FROM emails WHERE message_id = $1 AND substr(message_id, 2, 36) <> ${id}
      AND substr(sender, length(sender) - length($2::text)) = '@' || $2
    ORDER BY ${newest} DESC LIMIT 1`
})

const KEEP = statement<{ id: string }>(
  `INSERT INTO inbound_mails (id, digest, at, source, peer, recipient, sender, subject, kind, company, email_id, outcome,
      events, findings, size, raw)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT (digest) DO UPDATE SET times = inbound_mails.times + 1, events = inbound_mails.events + excluded.events,
      company = coalesce(inbound_mails.company, excluded.company),
      email_id = coalesce(inbound_mails.email_id, excluded.email_id),
      outcome = CASE WHEN inbound_mails.outcome = 'recorded' OR excluded.outcome = 'repeated'
          OR (excluded.email_id IS NULL AND inbound_mails.email_id IS NOT NULL)
        THEN inbound_mails.outcome ELSE excluded.outcome END
    RETURNING id`,
)
const TRIM = statement(
  ({ isAmong }) =>
    `DELETE FROM inbound_mails WHERE ${isAmong('id', `FROM inbound_mails WHERE outcome = $1 ORDER BY id DESC LIMIT ${STEP} OFFSET ${UNRECORDED_KEPT}`)}`,
)
const FORGET = forgetBefore('inbound_mails', 'id', 'at')
const RAW = statement<{ raw: Uint8Array }>('SELECT raw FROM inbound_mails WHERE id = $1')

/** Outcomes by which nothing changed. */
const UNRECORDED = INBOUND_OUTCOMES.filter((outcome) => outcome !== 'recorded')

type InboundRow = Omit<InboundMail, 'findings' | 'at' | 'size'> & {
  findings: string
  at: number | bigint
  size: number | bigint
}

export const inboundMailReads = {
  *reportedEmail(port, id, { addresses, position }) {
    const found = isEmailId(id) ? yield* port.look.one(EMAIL, id, id) : undefined
    if (found === undefined) return null
    const { key, companyId, messageId, sender } = found
    const size = Number(found.size ?? 0)
    const named = position ?? (size === 1 ? 0 : NOBODY)
    const rows = yield* port.look.all(NAMED, key, named, addresses.map(foldedAscii))
    const recipients = rows.map(recipientOf)
    return { id, companyId, messageId, sender, size, reports: Number(found.reports), recipients }
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

function recipientOf({ state, uncertain, ...recipient }: NamedRow): AddressedRecipient {
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
      return { ...arrival, company, placed: arrival.reports.flatMap((report) => placedIn(emails, report)) }
    })
    const all = placed.flatMap((arrival) => arrival.placed)
    const outcome = yield* port.transaction(function* (db) {
      const recipients = yield* lockPlaces(db, all)
      const known = yield* knownReports(db, all)
      const sum = { unqueued: false, suppressed: false }
      const results: InboundResult[] = []
      for (const arrival of placed) {
        const recorded = yield* recordReports(db, arrival.placed, recipients, known)
        sum.unqueued ||= recorded.unqueued
        sum.suppressed ||= recorded.suppressed
        results.push(yield* keep(db, arrival, recorded.events))
      }
      return { ...sum, results }
    })
    announceReports(port, outcome)
    return outcome.results
  },

  *trimInboundMails(port) {
    let removed = 0
    for (const outcome of UNRECORDED) removed += yield* port.write.run(TRIM, outcome)
    return removed
  },

  *forgetInboundMails(port, before, limit) {
    return yield* port.write.run(FORGET, Math.round(before), limit)
  },
} satisfies Operations<Port>

function* keep(
  db: PortTransaction,
  { mail, company }: PlacedArrival,
  events: number,
): PortSteps<InboundResult> {
  const { id, digest, at, source, peer, recipient, from, subject, kind, emailId, refused, size, raw } = mail
  const outcome = refused ?? (events > 0 ? 'recorded' : 'repeated')
  const texts = [peer, recipient, from, subject].map((text) => text?.replaceAll('\0', '') ?? null)
  const kept = yield* db.one(
    KEEP,
    ...[id, digest, Math.round(at), source, ...texts, kind, company, emailId, outcome, events],
    ...[JSON.stringify(mail.findings), size, raw],
  )
  return { id: kept!.id, outcome, events }
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
      m.kind, c.id AS "companyId", m.email_id AS "emailId", m.outcome, m.events, m.findings, m.size,
      octet_length(m.raw) AS kept
    FROM inbound_mails m LEFT JOIN companies c ON c.num = m.company ${conditions.page('m.id', filter)}`
  return [dynamicStatement(page), conditions.values]
}
