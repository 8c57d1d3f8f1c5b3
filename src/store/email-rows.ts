/**
 * Emails as the API and the operator read them: rows in the shape in which the queries of both databases return them.
 */
import { tlsOfText } from '../email/attempt-tls.ts'
import { rowReader } from '../email/codec.ts'
import type { EmailEvent, EventDetail } from '../email/event.ts'
import { fieldsOf, type Recipient, recipientFieldsOf } from '../email/fields.ts'
import type { CountedState } from '../email/recipient.ts'
import type { RawFileNames } from '../mail/raw/files.ts'
import { COLUMNS } from './email-columns.ts'
import { listOf, mapOf } from './json-columns.ts'
import type {
  EmailBeginning,
  EmailHistory,
  EmailOutline,
  EmailPortion,
  EmailSummary,
  EmailWithPlace,
  HistoryOutline,
  NoticeEmail,
  NoticeFacts,
  NoticeFile,
  NoticeRecipient,
  PortionRequest,
  RecipientOutline,
  StoredAttempt,
  StoredBody,
  StoredContent,
  StoredEmail,
  StoredRecipient,
} from './store.ts'

/** Has a column for each field that is shown. */
export type StoredEmailRow = Pick<StoredEmail, 'id' | 'lastEvent' | 'contentRemoved'>

/** Has a column for each shown field of a recipient. */
export type RecipientRow = Omit<StoredRecipient, keyof Recipient<'show'>>

export interface EventRow extends Omit<EmailEvent, 'emailId' | 'detail'> {
  detail: string | null
}

export interface AttemptRow extends Omit<StoredAttempt, 'recipients' | 'tls'> {
  recipients: string
  tls: string | null
}

/** Has a column for each field that is listed. */
export type SummaryRow = Pick<EmailSummary, 'lastEvent'>

export interface CapturedRow {
  recipients: string
  raw: Uint8Array
}

export const storedEmail: (row: StoredEmailRow) => StoredEmail = rowReader(fieldsOf('show'), COLUMNS, [
  'lastEvent',
  'contentRemoved',
])

const outlineOf: (row: StoredEmailRow) => EmailOutline = rowReader(
  fieldsOf('outline').map((field) => ({ ...field, inContent: false })),
  COLUMNS,
  ['lastEvent', 'contentRemoved'],
)

const givenOf = rowReader<Recipient<'show'>>(recipientFieldsOf('show'), COLUMNS)

export function historyOf(
  email: StoredEmailRow,
  recipients: readonly RecipientRow[],
  events: readonly EventRow[],
  attempts: readonly AttemptRow[],
): EmailHistory {
  return {
    email: storedEmail(email),
    recipients: recipients.map((row) => ({ ...row, ...givenOf(row) })),
    events: events.map(({ detail, ...event }) => {
      return { emailId: email.id, ...event, detail: mapOf<EventDetail>(detail) }
    }),
    attempts: attempts.map(({ recipients: positions, tls, ...attempt }) => {
      return { ...attempt, recipients: listOf<number>(positions), tls: tlsOfText(tls) }
    }),
  }
}

export interface OutlineAttemptRow extends Omit<AttemptRow, 'dialogue'> {
  id: number
  ending: string
}

export interface StateRow {
  state: CountedState
  count: number
}

/** `events` and `attempts`: newest first. */
export function historyOutlineOf(
  email: StoredEmailRow,
  states: readonly StateRow[],
  recipients: readonly RecipientOutline[],
  events: readonly EventRow[],
  attempts: readonly OutlineAttemptRow[],
): HistoryOutline {
  return {
    email: outlineOf(email),
    states: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    recipients: recipients.map((row) => ({ ...row })),
    events: events
      .map(({ recipient, type, at, detail }) => {
        return { emailId: email.id, recipient, type, at, detail: mapOf<EventDetail>(detail) }
      })
      .reverse(),
    attempts: attempts
      .map(({ recipients, tls, ...attempt }) => {
        return { ...attempt, recipients: listOf<number>(recipients), tls: tlsOfText(tls) }
      })
      .reverse(),
  }
}

const BODIES = ['html', 'text', 'amp'] as const
type BodyName = (typeof BODIES)[number]

/**
 * The beginning of each body, and its length as `htmlOctets` and so on; null for a body that does not exist. SQLite has
 * no booleans.
 */
export type ContentRow = {
  individual: boolean | number
  headers: string | null
  contentRemoved: boolean | number
} & {
  [Name in BodyName]: Uint8Array | null
} & { [Name in `${BodyName}Octets`]: number | null }

/** `octets`: casts a column to octets; `most`: how many octets are read. */
export function bodiesSelected(table: string, octets: (column: string) => string, most: string): string {
  return BODIES.map((name) => {
    const column = `${table}.${name}`
    return `substr(${octets(column)}, 1, ${most}) AS ${name}, octet_length(${column}) AS "${name}Octets"`
  }).join(', ')
}

export function contentOf(row: ContentRow): StoredContent {
  const { individual, headers, contentRemoved } = row
  const [html, text, amp] = BODIES.map((name) => bodyOf(row[name], row[`${name}Octets`]))
  return {
    individual: Boolean(individual),
    contentRemoved: Boolean(contentRemoved),
    headers: listOf<[string, string]>(headers),
    html: html!,
    text: text!,
    amp: amp!,
  }
}

function bodyOf(octets: Uint8Array | null, length: number | null): StoredBody | null {
  if (octets === null) return null
  return { beginning: beginningOf(octets), clipped: length! > octets.byteLength }
}

/** Decoded as a stream, so that a character cut in two is left out. */
function beginningOf(octets: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(octets, { stream: true })
}

export interface BeginningRow extends Omit<EmailBeginning, 'text' | 'html' | 'filesKnown'> {
  text: Uint8Array | null
  html: Uint8Array | null
  /** JSON. */
  rawFiles: string | null
}

export function emailBeginningOf({ text, html, rawFiles, ...row }: BeginningRow): EmailBeginning {
  const within: RawFileNames | null = rawFiles === null ? null : JSON.parse(rawFiles)
  return {
    ...row,
    ...(within !== null && { files: Number(within.attached), fileNames: within.names.join('\n') || null }),
    filesKnown: within !== null || row.rawOctets === null,
    text: text === null ? null : beginningOf(text),
    html: html === null ? null : beginningOf(html),
  }
}

/** Rows of a list do not hold the content. */
const LISTED = fieldsOf('list').map((field) => ({ ...field, inContent: false }))
const listedOf = rowReader<EmailSummary>(LISTED, COLUMNS, ['lastEvent'])
const NOTICE_FIELDS = fieldsOf('tell').map((field) => ({ ...field, inContent: false }))
const storedNoticeEmailOf = rowReader<Omit<NoticeEmail, 'attachments'>>(NOTICE_FIELDS, COLUMNS)

export function summaryOf(row: SummaryRow): EmailSummary {
  return listedOf(row)
}

export interface PlacedRow extends SummaryRow {
  place: number
  octets: number
}

/** `rows`: in order; reading stops when the portion is full. */
export function portionOf(
  rows: Iterable<PlacedRow>,
  wanted: Pick<PortionRequest, 'limit' | 'octets'>,
): EmailPortion {
  const emails: EmailWithPlace[] = []
  let octets = 0
  for (const row of rows) {
    emails.push({ place: row.place, email: listedOf(row) })
    octets += row.octets
    if (emails.length >= wanted.limit || octets >= wanted.octets) return { emails, octets, full: true }
  }
  return { emails, octets, full: false }
}

/** The place and id of the last email. */
export function placeOf(emails: readonly EmailWithPlace[]): { place: number; id: string } {
  const { place, email } = emails.at(-1)!
  return { place, id: email.id }
}

/** Has a column for each field of the email that events report; null when the email is not requested. */
export interface NoticeRow {
  id: string | null
  /** In JSON. */
  files: string | null
  /** Octets of the email itself. */
  octets: number
  domainName: string | null
  recipientCount: number | null
  /** From here on: columns of the recipient; null: there is none, or none is requested. */
  address: string | null
  mailbox: string | null
  copySize: number | null
  recipientVariables: string | null
  copyOf: string | null
}

/**
 * The first rows, up to the one with which they reach `most` octets. `rows`: one for each wanted email, in order; the
 * rest is not read.
 */
export function rowsWithin<Row>(rows: Iterable<Row>, most: number, rowOf: (row: Row) => NoticeRow): Row[] {
  const some: Row[] = []
  let left = most
  for (const row of rows) {
    some.push(row)
    left -= noticeOctets(rowOf(row))
    if (left <= 0) break
  }
  return some
}

/** `position`: that of the requested recipient. */
export function noticeFactsOf(row: NoticeRow, position: number | null): NoticeFacts {
  return { email: noticeEmail(row), recipient: noticeRecipient(row, position), octets: noticeOctets(row) }
}

function noticeEmail(row: NoticeRow): NoticeEmail | null {
  if (row.id === null) return null
  const { files, domainName, recipientCount } = row
  const attachments = listOf<NoticeFile>(files)
  return { ...storedNoticeEmailOf(row), attachments, domainName, recipientCount: recipientCount ?? 0 }
}

function noticeRecipient(row: NoticeRow, position: number | null): NoticeRecipient | null {
  const { address, mailbox, copySize, copyOf, recipientVariables: values } = row
  if (address === null || position === null) return null
  const variables = values === null ? null : mapOf<Record<string, string>>(values)
  return { position, address, mailbox, copySize, copyOf, variables }
}

function noticeOctets({ octets, files, mailbox, copyOf, recipientVariables }: NoticeRow): number {
  const texts = [files, mailbox, copyOf, recipientVariables]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), octets)
}

/** In the order of recipients, whichever copy was made first. */
export function capturedOf(rows: readonly CapturedRow[]): { recipients: number[]; raw: Uint8Array }[] {
  return rows
    .map(({ recipients, raw }) => ({ recipients: listOf<number>(recipients), raw }))
    .sort((a, b) => (a.recipients[0] ?? 0) - (b.recipients[0] ?? 0))
}
