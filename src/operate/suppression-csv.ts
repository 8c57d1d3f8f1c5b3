/**
 * Suppressions as CSV: what we write ourselves, and what other services give out. Loaded only where files are read or
 * written.
 */
import { pipeline, Readable } from 'node:stream'
import { type CsvError, type Info, parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { SUPPRESSION_TYPES, type Suppression, type SuppressionType } from '../email/suppression.ts'
import type { AllowedInput } from './allow-list.ts'
import { guarded, unguarded } from './csv-cell.ts'
import { isoTime } from './shapes.ts'
import type { SuppressionInput } from './suppression-check.ts'

const COLUMNS = ['address', 'type', 'tags', 'reason', 'code', 'created_at'] as const
type Column = (typeof COLUMNS)[number]

/** What the columns are called elsewhere, without blanks, `_` and `-`. */
const NAMES: Record<Column, readonly string[]> = {
  address: ['address', 'email', 'emailaddress', 'recipient', 'suppressedemailaddress'],
  type: ['type', 'origin', 'kind'],
  tags: ['tags', 'tag'],
  reason: ['reason', 'error', 'errormessage', 'description', 'message'],
  code: ['code', 'errorcode', 'smtpcode', 'status'],
  created_at: ['createdat', 'created', 'createdtime', 'date', 'time', 'timestamp', 'lastupdatetime'],
}

const TYPES: Record<SuppressionType, readonly string[]> = {
  bounce: ['bounce', 'bounces', 'bounced', 'hardbounce', 'permanentbounce', 'invalid'],
  complaint: ['complaint', 'complaints', 'complained', 'spam', 'spamreport', 'spamcomplaint'],
  manual: ['manual', 'manualsuppression', 'blocked', 'block'],
  unsubscribe: ['unsubscribe', 'unsubscribes', 'unsubscribed', 'unsubscription'],
}

/** A line longer than this is none of a list of addresses. */
const LONGEST_LINE = 64 * 1024

/** One line of a file; `why` it cannot be used, if so, and whether nothing behind it was read either. */
export type CsvLine<Entry> = { line: number } & ({ entry: Entry } | { why: string; isLast?: true })

/** Where a piece of a file lies: behind so many lines, of which the first are a record that may name the columns. */
export interface Begun {
  head: string
  lines: number
}

interface Parsed {
  record: string[]
  info: Info
}

/**
 * The lines of a file in UTF-8. The first names the columns, or holds an address: then each line is one.
 * @param type of lines that do not say
 */
export async function* csvLines(
  source: Source,
  type: SuppressionType,
  begun?: Begun,
): AsyncGenerator<CsvLine<SuppressionInput>> {
  let columns: readonly (Column | null)[] | undefined
  for await (const each of piecesOf(source, begun)) {
    if ('why' in each) {
      yield each
      continue
    }
    const { line, entry: record } = each
    if (columns === undefined) {
      const named = columnsOf(record)
      const isNamed = named.includes('address')
      columns = isNamed ? named : ['address']
      if (isNamed || line === HEAD) continue
    }
    yield { line, ...entryOf(record, columns, type) }
  }
}

/** The same of an allow list: addresses and domains, in one column or in one each. */
export async function* allowedLines(source: Source, begun?: Begun): AsyncGenerator<CsvLine<AllowedInput>> {
  let names: readonly string[] | undefined
  for await (const each of piecesOf(source, begun)) {
    if ('why' in each) {
      yield each
      continue
    }
    const { line, entry: record } = each
    if (names === undefined) {
      const named = record.map(plainName)
      const isNamed = ALLOWED.some((name) => named.includes(name))
      names = isNamed ? named : ['value']
      if (isNamed || line === HEAD) continue
    }
    const value = (wanted: readonly string[]) =>
      names!.flatMap((name, at) => (wanted.includes(name) && record[at] ? unguarded(record[at]) : []))[0]
    const allowed = value(ALLOWED)
    if (allowed === undefined) yield { line, why: 'there is no address and no domain' }
    else yield { line, entry: { value: allowed, reason: value(NAMES.reason) } }
  }
}

const ALLOWED = ['address', 'domain', 'value', 'email', 'recipient']

/** In the place of a line's number: that of the head, which was read with the first piece. */
const HEAD = 0

/** The records of a piece as if the file had been read up to there. */
async function* piecesOf(source: Source, begun: Begun | undefined): AsyncGenerator<CsvLine<string[]>> {
  if (begun === undefined) return yield* recordsOf(source)
  const { head, lines } = begun
  const before = head.split('\n').length
  const whole = async function* () {
    yield `${head}\n`
    yield* source
  }
  for await (const each of recordsOf(whole())) {
    if (each.line > before) yield { ...each, line: each.line - before + lines }
    // What is wrong with it was told with the first piece.
    else if ('entry' in each) yield { ...each, line: HEAD }
  }
}

/** What is behind it cannot be told apart: fields may have several lines. */
const OPEN_QUOTE = new Set(['CSV_MAX_RECORD_SIZE', 'CSV_QUOTE_NOT_CLOSED'])

async function* recordsOf(source: Source): AsyncGenerator<CsvLine<string[]>> {
  const skipped: CsvLine<string[]>[] = []
  let reached = 0
  let open = false
  const { delimiter, whole } = await opened(source)
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: LONGEST_LINE,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    trim: true,
    on_record: (parsed: string[], { lines }) => {
      if (open) return null
      reached = lines
      return parsed
    },
    on_skip: (error: CsvError | undefined) => {
      if (open || OPEN_QUOTE.has(error?.code ?? '')) open = true
      else skipped.push({ line: Number(error?.lines ?? 0), why: error?.message ?? 'it is no CSV' })
      return undefined
    },
  })
  // What goes wrong with the source is heard from the parser.
  pipeline(Readable.from(whole), parser, () => {})
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    yield* skipped.splice(0)
    yield { line: info.lines, entry: record }
  }
  yield* skipped
  if (!open) return
  const why =
    'a quotation mark is opened here or soon after, and not closed: nothing from here on was read; mend it and import again'
  yield { line: reached + 1, why, isLast: true }
}

type Source = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/** What parts the fields is what the first line has most of. */
async function opened(source: Source): Promise<{ delimiter: string; whole: AsyncIterable<Uint8Array> }> {
  const pieces = octetsOf(source)
  let head = Buffer.alloc(0)
  while (!head.includes('\n') && head.length < LONGEST_LINE) {
    const { done, value } = await pieces.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const line = head.toString('utf8').split('\n', 1)[0]!
  const count = (delimiter: string) => line.split(delimiter).length
  const delimiter = [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
  return { delimiter, whole: behind(head, pieces) }
}

async function* octetsOf(source: Source): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield Buffer.from(piece as Uint8Array)
}

async function* behind(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  yield* rest
}

function columnsOf(record: readonly string[]): (Column | null)[] {
  return record.map((name) => {
    const plain = plainName(name)
    return COLUMNS.find((column) => NAMES[column].includes(plain)) ?? null
  })
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[\s_-]/g, '')
}

function entryOf(
  record: readonly string[],
  columns: readonly (Column | null)[],
  given: SuppressionType,
): { entry: SuppressionInput } | { why: string } {
  const value = (column: Column) => unguarded(record[columns.indexOf(column)] ?? '') || undefined
  const [address, word, code, created] = [value('address'), value('type'), value('code'), value('created_at')]
  if (address === undefined) return { why: 'there is no address' }
  const type = word === undefined ? given : typeOf(word)
  if (type === undefined) return { why: `the type "${word}" is none of ${SUPPRESSION_TYPES.join(', ')}` }
  const createdAt = created === undefined ? undefined : timeOf(created)
  if (Number.isNaN(createdAt)) return { why: `the time "${created}" cannot be read` }
  if (code !== undefined && !CODE.test(code)) return { why: `the code "${code}" is no SMTP reply code` }
  const tags = type === 'unsubscribe' ? tagsOf(value('tags')) : undefined
  // An enhanced status code (RFC 3463) has no column of its own.
  const number = code?.length === 3 ? Number(code) : undefined
  return { entry: { address, type, tags, reason: value('reason'), code: number, createdAt } }
}

function typeOf(word: string): SuppressionType | undefined {
  const plain = plainName(word)
  return SUPPRESSION_TYPES.find((type) => TYPES[type].includes(plain))
}

const CODE = /^(?:[2-6]\d\d|0|\d\.\d{1,3}\.\d{1,3})$/

/** As JSON, or with `|` or commas between them. `*` and nothing: all mail. */
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
    return Array.isArray(list) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}

const UNIX = /^\d{9,13}(\.\d+)?$/
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/

/** Unix ms of Unix seconds, Unix ms, or a date as ISO 8601 or RFC 5322 write it; one without a zone is of UTC. */
function timeOf(text: string): number {
  const number = UNIX.test(text) ? Number(text) : undefined
  const at = number ?? Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
  const ms = number !== undefined && number < 1e11 ? number * 1_000 : at
  // A year has four digits.
  return ms >= 0 && ms < 253_402_300_800_000 ? Math.round(ms) : Number.NaN
}

export const CSV_HEADER = stringify([[...COLUMNS]])

export function csvOf(list: readonly Suppression[]): string {
  return stringify(
    list.map(({ address, type, tags, reason, code, createdAt }) => [
      guarded(address),
      type,
      tags === null ? '' : JSON.stringify(tags),
      guarded(reason),
      code ?? '',
      isoTime(createdAt),
    ]),
  )
}
