/** Reads a mail that may be a report on an email that was sent: a bounce, a complaint, an automatic reply. */

import { decodeText } from '../raw/decode.ts'
import type { RawField } from '../raw/header.ts'
import { type Classification, classifyReply } from '../reply/classify.ts'
import { addressIn, cleanAddress } from './address-text.ts'
import { isAutomaticReply } from './automatic-reply.ts'
import {
  type DeliveryStatus,
  holdsDeliveryStatus,
  type RecipientStatus,
  readDeliveryStatus,
} from './delivery-status.ts'
import { type Feedback, isComplaint, readFeedback, readJunkMailReport } from './feedback.ts'
import { type Sender, senderOf } from './mail-system.ts'
import { fieldValue, type OpenReport, openReport } from './open-report.ts'
import { type Parties, type Prose, readProse } from './prose/read-prose.ts'
import { readReplyWords } from './reply-words.ts'
import type { MailReport, ReportedRecipient, ReportKind } from './report.ts'
import { addresseesOf, headerOf, returnedEmail } from './returned-email.ts'

export { READ_LIMIT } from './open-report.ts'

/** Reports that come back with a report are read when the outer one names nobody. */
const MAX_DEPTH = 2

/**
 * Safe for any input: at most READ_LIMIT octets are read, time and memory are linear in them, and nothing throws. What
 * it says may be forged.
 */
export function readReport(raw: Uint8Array): MailReport {
  return readAt(raw, 0)
}

function readAt(raw: Uint8Array, depth: number): MailReport {
  const open = openReport(raw)
  const returned = headerOf(open.returned)
  const feedback = feedbackOf(open, returned)
  if (feedback !== null) return complaint(open, returned, feedback)

  const sender = senderOf(open.fields)
  const subject = decodeText(fieldValue(open.fields, 'subject')).slice(0, 500)
  const prose = readProse(subject, open.texts, (text) => partiesOf(open.fields, textHeader(text, returned)))
  const header = textHeader(prose.returned, returned)
  const status = statusOf(open, sender, prose)
  if (status !== null) {
    const recipients = fromStatus(status, open.fields, prose, header)
    if (recipients.length > 0) {
      return {
        kind: kindOf(recipients),
        recipients,
        returned: returnedEmail(open.fields, header, status.envelopeId),
      }
    }
  }
  const kind = proseKind(open.fields, sender, prose, status !== null)
  const names = returnedEmail(open.fields, header, status?.envelopeId ?? null)
  if (kind === 'auto_reply' || kind === 'none') return { kind, recipients: [], returned: names }
  const found = fromProse(kind, open.fields, prose)
  if (found.length > 0) return { kind, recipients: found, returned: names }
  return (
    innerReport(open, prose, depth) ?? {
      kind,
      recipients: toOnlyAddressee(kind, header, prose),
      returned: names,
    }
  )
}

const textHeader = (text: string, otherwise: readonly RawField[]): readonly RawField[] => {
  const fields = text === '' ? [] : headerOf(Buffer.from(text))
  return fields.length >= 2 && otherwise.length === 0 ? fields : otherwise
}

function partiesOf(fields: readonly RawField[], returned: readonly RawField[]): Parties {
  const own = new Set<string>()
  for (const [of, names] of [
    [fields, ['from', 'to', 'return-path', 'reply-to', 'x-original-to', 'delivered-to']],
    [returned, ['from', 'return-path', 'sender', 'reply-to', 'errors-to']],
  ] as const) {
    for (const name of names) {
      const address = addressIn(fieldValue(of, name))
      if (address !== null) own.add(address)
    }
  }
  return { own, addressees: new Set(addresseesOf(returned)) }
}

// Complaints

function feedbackOf(open: OpenReport, returned: readonly RawField[]): Feedback | null {
  const [text] = open.feedbacks
  return text === undefined ? readJunkMailReport(open.fields, returned) : readFeedback(text)
}

function complaint(open: OpenReport, returned: readonly RawField[], feedback: Feedback): MailReport {
  const names = returnedEmail(open.fields, returned, feedback.envelopeId)
  if (!isComplaint(feedback)) return { kind: 'none', recipients: [], returned: names }
  const addressees = addresseesOf(returned)
  const addresses =
    feedback.addresses.length > 0 ? feedback.addresses : addressees.length === 1 ? addressees : []
  const recipients = addresses.map(
    (address): ReportedRecipient => ({
      address,
      original: null,
      action: null,
      status: null,
      reply: null,
      message: '',
      permanent: false,
      category: null,
    }),
  )
  return { kind: 'complaint', recipients, returned: names }
}

// Delivery status

function statusOf(open: OpenReport, sender: Sender, prose: Prose): DeliveryStatus | null {
  if (open.statuses.length > 0) return readDeliveryStatus(open.statuses.join('\n\n'))
  if (sender.talk || !(sender.system || sender.silent)) return null
  const texts = [prose.said].filter(holdsDeliveryStatus)
  return texts.length === 0 ? null : readDeliveryStatus(texts.join('\n\n'))
}

function fromStatus(
  { recipients }: DeliveryStatus,
  fields: readonly RawField[],
  prose: Prose,
  returned: readonly RawField[],
): ReportedRecipient[] {
  const named = new Map<string, ReportedRecipient>()
  const spare = spareAddresses(fields, prose, returned, recipients)
  for (const recipient of recipients) {
    const address = recipient.address ?? spare.shift() ?? null
    if (address === null || named.has(address)) continue
    named.set(address, reported(address, recipient, prose))
  }
  return [...named.values()]
}

/** Addresses for recipients whose fields name a program or a local name. */
function spareAddresses(
  fields: readonly RawField[],
  prose: Prose,
  returned: readonly RawField[],
  recipients: readonly RecipientStatus[],
): string[] {
  const known = new Set(recipients.map(({ address }) => address))
  const failed = failedRecipients(fields)
  const addressees = addresseesOf(returned)
  const candidates = [
    ...failed,
    ...prose.recipients.map(({ address }) => address),
    ...(addressees.length === 1 ? addressees : []),
  ]
  return [...new Set(candidates)].filter((address) => !known.has(address))
}

function reported(address: string, status: RecipientStatus, prose: Prose): ReportedRecipient {
  const action = status.action ?? (isDelay(status, prose) ? 'delayed' : 'failed')
  const own = prose.recipients.find((each) => each.address === address)?.reason ?? ''
  const diagnostic = wholeReply(status.diagnostic, prose.said)
  return {
    ...explained(address, action, status.status, [diagnostic, own, dialogue(prose.said), prose.said]),
    original: status.original,
  }
}

function isDelay({ status, retries }: RecipientStatus, prose: Prose): boolean {
  return retries || prose.delays || (status?.startsWith('4') === true && !prose.opened)
}

/** Sendmail puts the first line of a reply of several lines into the field, and all of them into the text. */
function wholeReply(diagnostic: string, said: string): string {
  if (!/^\d{3}-/.test(diagnostic)) return diagnostic
  const lines = said.split('\n')
  const first = lines.findIndex((line) => line.endsWith(diagnostic) && /^\s*<<< /.test(line))
  if (first < 0) return diagnostic
  const rest: string[] = []
  for (const line of lines.slice(first + 1, first + 30)) {
    const reply = /^\s*<<< \d{3}([ -])(?:\d\.\d{1,3}\.\d{1,3} ?)?(.*)$/.exec(line)
    if (reply === null) break
    rest.push(reply[2]!)
    if (reply[1] === ' ') break
  }
  return [diagnostic, ...rest].join(' ')
}

/** What servers said in a transcript, as Sendmail writes it. */
function dialogue(said: string): string {
  return said
    .split('\n')
    .filter((line) => /^\s*<<< [45]\d\d/.test(line))
    .slice(0, 10)
    .map((line) => line.trim().slice(4))
    .join(' ')
}

// Prose

function proseKind(fields: readonly RawField[], sender: Sender, prose: Prose, status: boolean): ReportKind {
  const { system, silent, subject, talk } = sender
  const failed = failedRecipients(fields).length > 0
  const report =
    failed ||
    status ||
    (!talk && prose.opened && (system || silent || subject)) ||
    (!talk && system && subject && (prose.fails || prose.recipients.length > 0)) ||
    (!talk && silent && subject && prose.fails && prose.recipients.length > 0)
  if (!report) return isAutomaticReply(fields) ? 'auto_reply' : 'none'
  if (prose.succeeds && !prose.delays && !failed) return 'none'
  return prose.delays ? 'delay' : 'bounce'
}

/** X-Failed-Recipients of Exim and Gmail. */
function failedRecipients(fields: readonly RawField[]): string[] {
  const values = fields
    .filter(({ lower }) => lower === 'x-failed-recipients')
    .map(({ value }) => decodeText(value))
  const pieces = values.join(',').slice(0, 100_000).split(',')
  return pieces
    .map((piece) => cleanAddress(piece.trim().replace(/^<|>$/g, '')))
    .filter((each) => each !== null)
}

function fromProse(kind: ReportKind, fields: readonly RawField[], prose: Prose): ReportedRecipient[] {
  const action = kind === 'delay' ? 'delayed' : 'failed'
  const failed = failedRecipients(fields)
  const named: { address: string; reason: string }[] =
    failed.length === 0
      ? prose.recipients
      : failed.map((address) => ({
          address,
          reason: prose.recipients.find((each) => each.address === address)?.reason ?? '',
        }))
  return named.map(({ address, reason }) =>
    explained(address, action, null, [reason, dialogue(prose.said), prose.said]),
  )
}

function toOnlyAddressee(kind: ReportKind, returned: readonly RawField[], prose: Prose): ReportedRecipient[] {
  const addressees = addresseesOf(returned)
  if (addressees.length !== 1) return []
  return [explained(addressees[0]!, kind === 'delay' ? 'delayed' : 'failed', null, [prose.said])]
}

function innerReport(open: OpenReport, prose: Prose, depth: number): MailReport | null {
  if (depth >= MAX_DEPTH) return null
  const inner = open.whole ? open.returned : prose.returned === '' ? null : Buffer.from(prose.returned)
  if (inner === null) return null
  const report = readAt(inner, depth + 1)
  return report.recipients.length > 0 && (report.kind === 'bounce' || report.kind === 'delay') ? report : null
}

// Both

/** @param texts the most certain first; the first that says why is taken */
function explained(
  address: string,
  action: ReportedRecipient['action'],
  status: string | null,
  texts: readonly string[],
): ReportedRecipient {
  const replies = texts.filter((text) => text !== '').map(readReplyWords)
  if (action !== 'failed' && action !== 'delayed') {
    const first = replies[0]
    return {
      address,
      original: null,
      action,
      status: first?.status ?? status,
      reply: first?.code ?? null,
      message: first?.words ?? '',
      permanent: false,
      category: null,
    }
  }
  let best: { reply: (typeof replies)[number]; found: Classification } | undefined
  const delayed = action === 'delayed'
  for (const reply of replies) {
    const found = classifyReply({
      delayed,
      code: reply.code,
      status: reply.status ?? status,
      words: reply.words,
    })
    if (best === undefined || (best.found.category === 'other' && found.category !== 'other'))
      best = { reply, found }
    if (best.found.category !== 'other') break
  }
  const found = best?.found ?? classifyReply({ status, words: '', delayed })
  return {
    address,
    original: null,
    action,
    status: best?.reply.status ?? status,
    reply: best?.reply.code ?? null,
    message: best?.reply.words ?? '',
    permanent: found.permanent && !delayed,
    category: found.category,
  }
}

function kindOf(recipients: readonly ReportedRecipient[]): ReportKind {
  if (recipients.some(({ action }) => action === 'failed')) return 'bounce'
  return recipients.some(({ action }) => action === 'delayed') ? 'delay' : 'none'
}
