/**
 * Suppressions as CSV: Postroad's own format, and exports of other services. Loaded only where files are read or
 * written.
 */
import { stringify } from 'csv-stringify/sync'
import { clip } from '../common/clip.ts'
import { parseUtc } from '../common/utc-day.ts'
import {
  SUPPRESSION_TYPES,
  type Suppression,
  type SuppressionType,
  TAGGED_TYPES,
} from '../email/suppression.ts'
import { type AllowListInput, allowedValue } from './allow-list.ts'
import { guardCell, unguardCell } from './csv-cell.ts'
import {
  behindFirstLine,
  type CsvDelimiter,
  countLineEnds,
  delimiterOf,
  isBlank,
  NOT_CLOSED,
  readRecord,
} from './csv-record.ts'
import { OperateError } from './error.ts'
import { isoTime } from './shapes/time.ts'
import { checkedSuppression, reasonOf, type SuppressionInput } from './suppression-check.ts'

const COLUMNS = ['address', 'type', 'tags', 'reason', 'code', 'created_at', 'sending_domain'] as const
/** `source` and `detail` are columns of other services only. */
type CsvColumn = (typeof COLUMNS)[number] | 'source' | 'detail'

/** Names of the columns in exports of other services, without blanks, `_` and `-`. */
const NAMES: Record<CsvColumn, readonly string[]> = {
  address: ['address', 'email', 'emailaddress', 'recipient', 'suppressedemailaddress'],
  type: ['type', 'kind'],
  tags: ['tags', 'tag'],
  reason: ['reason', 'suppressionreason', 'error', 'errormessage', 'description', 'message'],
  source: ['source', 'origin'],
  detail: ['detail', 'details'],
  code: ['code', 'errorcode', 'smtpcode', 'status'],
  created_at: ['createdat', 'created', 'createdtime', 'date', 'time', 'timestamp', 'lastupdatetime'],
  sending_domain: ['sendingdomain'],
}

const ALLOWED_NAMES: Record<string, readonly string[]> = {
  address: ['address', 'value', 'email', 'recipient'],
  domain: ['domain'],
  reason: NAMES.reason,
}

/** A header has at least one of these columns. */
const MAIN = ['address', 'domain'] as const
/** The columns of a file without a header. */
const FIRST: CsvColumns = { address: 0 }
/** Columns whose values may have several lines. */
const FREE: ReadonlySet<string> = new Set<CsvColumn>(['reason', 'detail', 'tags'])

/** The words of other services for each type, without blanks, `_` and `-`. */
const TYPES: Record<SuppressionType, readonly string[]> = {
  bounce: [
    'bounce',
    'bounces',
    'bounced',
    'bouncerule',
    'hardbounce',
    'softbounce',
    'permanentbounce',
    'cleaned',
    'invalid',
    'invalidemail',
    'invalidaddress',
  ],
  complaint: [
    'complaint',
    'complaints',
    'complained',
    'abuse',
    'contactflaggedasspam',
    'spam',
    'spamreport',
    'spamcomplaint',
  ],
  manual: [
    'manual',
    'manualsuppression',
    'manuallyadded',
    'addedbyhand',
    'adminblocked',
    'blacklist',
    'block',
    'blocked',
    'blocklist',
    'custom',
  ],
  unsubscribe: [
    'unsubscribe',
    'unsubscribes',
    'unsubscribed',
    'unsubscribedviaapi',
    'unsubscribedviaemail',
    'unsubscribedviama',
    'unsubscribelink',
    'unsubscription',
    'unsub',
    'listunsubscribe',
    'optedout',
    'optout',
  ],
}

/** Characters of an address, the same limit as in all interfaces. */
const LONGEST_ADDRESS = 1_000
/** Characters of a type, a code, a time. */
const LONGEST_WORD = 100
/** Characters of an error. */
const LONGEST_ERROR = 400

/** An invalid line. */
export interface BadLine {
  line: number
  why: string
}

/** How far a file has been read. */
export interface CsvPlace {
  /** Lines before this place. */
  lines: number
  /** The beginning of a record that continues in the next piece. */
  rest: string
  /** Whether the unfinished line is too long: then the rest of it is skipped. */
  isTooLong: boolean
  delimiter: CsvDelimiter | null
  /** The position of each column. */
  columns: CsvColumns | null
}

export type CsvColumns = Partial<Record<string, number>>

export const START: CsvPlace = { lines: 0, rest: '', isTooLong: false, delimiter: null, columns: null }

/** A piece of a file, with the place where it begins. */
export interface CsvPiece {
  text: string
  /** Whether the piece ends the file. */
  isLast: boolean
  place: CsvPlace
  /** The allow list, or the type of suppressions whose line names none. */
  list: SuppressionType | 'allowed'
  /** The most invalid lines to report; further ones are only counted. */
  tell: number
}

/** An entry with the name of the sending domain on whose list it was. */
export interface ListedSuppression extends SuppressionInput {
  sendingDomain?: string | undefined
}

export interface CsvPieceResult {
  suppressions: ListedSuppression[]
  allowed: AllowListInput[]
  bad: number
  /** The first of the invalid lines. */
  badLines: BadLine[]
  place: CsvPlace
}

/** Reads a piece, on this thread or on another. */
export type ReadCsvPiece = (piece: CsvPiece) => CsvPieceResult | Promise<CsvPieceResult>

/** The place behind a number of lines of a file that begins with this head. */
export function placeBehind(head: string, lines: number, list: CsvPiece['list']): CsvPlace {
  const delimiter = delimiterOf(head)
  for (let at = 0; at < head.length; ) {
    const record = readRecord(head, at, delimiter, true)!
    if ('fields' in record && !isBlank(record.fields)) {
      return { ...START, lines, delimiter, columns: columnsOf(record.fields, list) ?? FIRST }
    }
    at = record.next
  }
  return { ...START, lines }
}

/**
 * Reads the lines of a piece, at a cost linear in its text. The first record either names the columns or holds an
 * address; in a file without a header, every line is an address.
 */
export function readCsvPiece(piece: CsvPiece): CsvPieceResult {
  // Most of the cost of an invalid line is the stack trace of its error, which nobody reads.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return readLines(piece)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function readLines({ text: piece, isLast, place, list, tell }: CsvPiece): CsvPieceResult {
  const read: CsvPieceResult = { suppressions: [], allowed: [], bad: 0, badLines: [], place }
  let { lines, isTooLong, columns } = place
  const text = place.rest + piece
  const delimiter = place.delimiter ?? delimiterOf(text)
  const refuse = (why: string) => {
    read.bad += 1
    if (read.badLines.length < tell) read.badLines.push({ line: lines + 1, why: clip(why, LONGEST_ERROR) })
  }
  let at = 0
  if (isTooLong) {
    const behind = behindFirstLine(text, isLast)
    isTooLong = behind === -1 && !isLast
    at = behind === -1 ? text.length - (!isLast && text.endsWith('\r') ? 1 : 0) : behind
    if (!isTooLong) lines += 1
  }
  while (at < text.length && !isTooLong) {
    const record = readRecord(text, at, delimiter, isLast)
    if (record === null) break
    let { next } = record
    if ('why' in record) {
      refuse(record.why)
      isTooLong = record.endless === true
    } else if (!isBlank(record.fields)) {
      const { fields } = record
      const named: CsvColumns | null = columns === null ? columnsOf(fields, list) : null
      columns ??= named ?? FIRST
      if (named !== null) {
        // The header is not an entry.
      } else if (next > record.second && isTorn(fields, columns)) {
        // An address has one line: if it has several, a closing quotation mark is missing.
        next = record.second
        refuse(NOT_CLOSED)
      } else {
        take(fields, columns)
      }
    }
    if (!isTooLong) lines += next === record.second ? 1 : countLineEnds(text.slice(at, next))
    at = next
  }
  const rest = text.slice(at)
  return {
    ...read,
    place: { lines, rest, isTooLong, delimiter: at > 0 ? delimiter : place.delimiter, columns },
  }

  function take(fields: readonly string[], columns: CsvColumns): void {
    try {
      if (list === 'allowed') {
        const entry = allowedOf(fields, columns)
        allowedValue(entry.value)
        if (entry.reason !== undefined) reasonOf(entry.reason)
        read.allowed.push(entry)
      } else {
        const entry = suppressionOf(fields, columns, list)
        checkedSuppression(entry, '', null, 0)
        read.suppressions.push(entry)
      }
    } catch (error) {
      if (!(error instanceof OperateError)) throw error
      refuse(error.message)
    }
  }
}

/** Null: the record is not a header. If a name occurs twice, the first counts. */
function columnsOf(record: readonly string[], list: CsvPiece['list']): CsvColumns | null {
  const known = Object.entries<readonly string[]>(list === 'allowed' ? ALLOWED_NAMES : NAMES)
  const columns: CsvColumns = {}
  for (const [at, name] of record.entries()) {
    if (name.length > LONGEST_WORD) continue
    const plain = plainName(name)
    for (const [column, names] of known) {
      if (names.includes(plain)) columns[column] ??= at
    }
  }
  return MAIN.some((column) => column in columns) ? columns : null
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, '')
}

/** Whether a column that must have one line has several. */
function isTorn(fields: readonly string[], columns: CsvColumns): boolean {
  return Object.entries(columns).some(([column, at]) => !FREE.has(column) && /[\r\n]/.test(fields[at!] ?? ''))
}

function valueIn(fields: readonly string[], at: number | undefined): string | undefined {
  return at === undefined ? undefined : unguardCell(fields[at] ?? '') || undefined
}

/** Throws `invalid`. */
function suppressionOf(
  fields: readonly string[],
  columns: CsvColumns,
  given: SuppressionType,
): ListedSuppression {
  const value = (column: CsvColumn) => valueIn(fields, columns[column])
  const address = checkedAddress(value('address'), 'the line has no address')
  const [code, created] = [value('code'), value('created_at')]
  const [word, why, source] = [value('type'), value('reason'), value('source')]
  const named = typeOf(word)
  const reasonType = typeOf(why)
  const type = named ?? reasonType ?? typeOf(source) ?? (word === undefined ? given : undefined)
  if (type === undefined) {
    throw invalid(`the type "${clip(word!)}" is not one of ${SUPPRESSION_TYPES.join(', ')}`)
  }
  // A reason that only names the type says no more than the standard sentence.
  const reason = named === undefined && reasonType !== undefined ? value('detail') : (why ?? value('detail'))
  const createdAt = created === undefined ? undefined : timeOf(created)
  if (Number.isNaN(createdAt)) throw invalid(`the time "${clip(created!)}" cannot be read`)
  if (code !== undefined && !CODE.test(code)) {
    throw invalid(`the code "${clip(code)}" is not an SMTP reply code`)
  }
  const tags = TAGGED_TYPES.includes(type) ? tagsOf(value('tags')) : undefined
  // An enhanced status code (RFC 3463) has no column of its own.
  const number = code?.length === 3 ? Number(code) : undefined
  const sendingDomain = value('sending_domain')?.toLowerCase()
  return { address, type, tags, reason, code: number, sendingDomain, createdAt }
}

/** Throws `invalid`. */
function allowedOf(fields: readonly string[], columns: CsvColumns): AllowListInput {
  const [value] = [columns.address, columns.domain].flatMap((at) => valueIn(fields, at) ?? [])
  return {
    value: checkedAddress(value, 'the line has no address and no domain'),
    reason: valueIn(fields, columns.reason),
  }
}

function checkedAddress(text: string | undefined, missing: string): string {
  if (text === undefined) throw invalid(missing)
  if (text.length > LONGEST_ADDRESS) {
    throw invalid(`"${clip(text)}" is too long for an address: it has ${text.length} characters`)
  }
  if (text.includes('\ufffd')) throw invalid(`"${clip(text)}" is not in UTF-8: save the file in UTF-8`)
  return text
}

function invalid(message: string): OperateError {
  return new OperateError('invalid', message)
}

function typeOf(word: string | undefined): SuppressionType | undefined {
  if (word === undefined || word.length > LONGEST_WORD) return undefined
  const plain = plainName(word)
  return SUPPRESSION_TYPES.find((type) => TYPES[type].includes(plain))
}

const CODE = /^(?:[2-6]\d\d|0|\d\.\d{1,3}\.\d{1,3})$/

/** Tags as JSON, or separated by `|` or commas. `*` or empty: all mail. */
function tagsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const tags = (listed(text) ?? text.split(text.includes('|') ? '|' : ','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return tags.length === 0 || tags.includes('*') ? undefined : tags
}

function listed(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every(isTag) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}

function isTag(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

const UNIX = /^\d{9,13}(\.\d+)?$/

/** Unix ms of Unix seconds, Unix ms, or a date in ISO 8601 or RFC 5322; a date without a time zone is in UTC. */
function timeOf(text: string): number {
  if (text.length > LONGEST_WORD) return Number.NaN
  const number = UNIX.test(text) ? Number(text) : undefined
  const at = number ?? parseUtc(text)
  const ms = number !== undefined && number < 1e11 ? number * 1_000 : at
  // A year has four digits.
  return ms >= 0 && ms < 253_402_300_800_000 ? Math.round(ms) : Number.NaN
}

export const CSV_HEADER = stringify([[...COLUMNS]])

/** `nameOf`: the name of a sending domain by its id. */
export function csvOf(
  list: readonly Suppression[],
  nameOf: (domainId: string | null) => string | null,
): string {
  return stringify(
    list.map(({ address, type, domainId, tags, reason, code, createdAt }) => [
      guardCell(address),
      type,
      tags === null ? '' : guardCell(JSON.stringify(tags)),
      guardCell(reason),
      code ?? '',
      isoTime(createdAt),
      nameOf(domainId) ?? '',
    ]),
  )
}
