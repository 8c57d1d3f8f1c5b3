/** Whole lists of suppressions, in files. */
import type { Suppression, SuppressionType } from '../email/suppression.ts'
import { type AllowedInput, addAllowed } from './allow-list.ts'
import type { Audit } from './audited.ts'
import { OperateError } from './error.ts'
import { findCompany, findWholeCompany } from './find.ts'
import type { SuppressionInput } from './suppression-check.ts'
import {
  type BadLine,
  CSV_HEADER,
  type CsvPiece,
  type CsvPieceRead,
  csvOf,
  placeBehind,
  type ReadCsvPiece,
  readCsvPiece,
  START,
} from './suppression-csv.ts'
import { addSuppressions, listSuppressions } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

/** Lines put on the list in one commit, and given out in one step. */
const STEP = 500
/** Characters read in one step. */
const PIECE = 32 * 1024
/** Of the lines that cannot be used so many are told. */
const BAD_TOLD = 1_000
/** With so many of them, and fewer others, it is no list: what is read on and on for nothing keeps others waiting. */
const NO_LIST = 10_000

export interface SuppressionImport {
  company: string
  /** A file in UTF-8. */
  source: Source
  /** Of lines that do not say. */
  type: SuppressionType
  /** Id of the sending domain they come from. */
  domainId?: string | undefined
  /** The source is a piece of the file. */
  begun?: Begun | undefined
  /** Reads the pieces; absent: on the spot. */
  read?: ReadCsvPiece | undefined
  onStep?: (sum: Imported) => void
  part?: ImportPart | undefined
}

type Source = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/** Where a piece of a file lies: behind so many lines, of which the first are a record that may name the columns. */
interface Begun {
  head: string
  lines: number
}

/** Of a file that comes in pieces, which are one entry of the audit list. */
export interface ImportPart {
  /** What the file is called. */
  file: string | undefined
  /** What came of the pieces before; undefined: there is none. */
  before: (Imported & { entry: number }) | undefined
}

export interface Imported {
  /** Put on the list. */
  added: number
  /** They were there for this type already. */
  present: number
  /** Lines that cannot be used. */
  bad: number
}

export interface ImportReport extends Imported {
  /** The first of those that cannot be used. */
  badLines: BadLine[]
  /** Of the audit list; null: there is none. */
  entry: number | null
}

/** Every line that can be used counts, whatever others hold. What is interrupted may be done again. */
export const importSuppressions = verb(
  'manage',
  async (op, input: SuppressionImport): Promise<ImportReport> => {
    const company = findCompany(op, input.company).id
    const { type, domainId } = input
    return await imported<SuppressionInput>(op, input, type, {
      entriesOf: ({ suppressions }) => suppressions,
      async put(entries) {
        const results = await addSuppressions(op, { company, entries, domainId })
        return results.map(({ added }) => added)
      },
    })
  },
  importAudit('importSuppressions'),
)

export type AllowedImport = Omit<SuppressionImport, 'type' | 'domainId'>

/** The same of the allow list. */
export const importAllowed = verb(
  'manage',
  async (op, input: AllowedImport): Promise<ImportReport> => {
    const company = findWholeCompany(op, input.company).id
    return await imported<AllowedInput>(op, input, 'allowed', {
      entriesOf: ({ allowed }) => allowed,
      put: (entries) => addAllowed(op, { company, entries }),
    })
  },
  importAudit('importAllowed'),
)

function importAudit(action: string): Audit<Pick<SuppressionImport, 'part'>, ImportReport> {
  return {
    ...{ action, unlessByKey: true, inParts: true },
    goesOn: ({ part }) => part?.before?.entry,
    note({ part }, report) {
      const detail = { file: part?.file }
      if (report === null) return { target: '', detail }
      const { added, present, bad } = importedSoFar(part, report)
      return { target: `${added} entries`, detail: { ...detail, added, present, bad } }
    },
  }
}

/** With what came of the pieces before. */
export function importedSoFar(part: ImportPart | undefined, report: Imported): Imported {
  const { added = 0, present = 0, bad = 0 } = part?.before ?? {}
  return { added: added + report.added, present: present + report.present, bad: bad + report.bad }
}

interface Importing<Entry> {
  entriesOf(read: CsvPieceRead): Entry[]
  /** For each whether it is new. */
  put(entries: Entry[]): Promise<boolean[]>
}

async function imported<Entry>(
  { entry = null }: Operation,
  { source, begun, read = readCsvPiece, onStep }: AllowedImport,
  list: CsvPiece['list'],
  { entriesOf, put }: Importing<Entry>,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, present: 0, bad: 0, badLines: [], entry }
  let place = begun === undefined ? START : placeBehind(begun.head, begun.lines, list)
  for await (const { text, isLast } of piecesOf(source)) {
    const found = await read({ text, isLast, place, list, tell: BAD_TOLD - report.badLines.length })
    place = found.place
    report.bad += found.bad
    report.badLines.push(...found.badLines)
    const entries = entriesOf(found)
    for (let at = 0; at < entries.length; at += STEP) {
      for (const added of await put(entries.slice(at, at + STEP))) report[added ? 'added' : 'present'] += 1
      onStep?.(report)
    }
    if (report.bad >= NO_LIST && report.bad >= report.added + report.present)
      throw noList(report, place.lines)
  }
  return report
}

/** Text in pieces that are read in one step each, however it comes. */
async function* piecesOf(source: Source): AsyncGenerator<{ text: string; isLast: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const each of source) {
    text += typeof each === 'string' ? each : decoder.decode(each, { stream: true })
    let at = 0
    for (; text.length - at > PIECE; at += PIECE) {
      yield { text: text.slice(at, at + PIECE), isLast: false }
    }
    text = text.slice(at)
  }
  yield { text: text + decoder.decode(), isLast: true }
}

function noList({ bad, badLines: [first] }: ImportReport, lines: number): OperateError {
  return new OperateError(
    'invalid',
    `most lines up to line ${lines} cannot be used, ${bad} of them; the first is line ${first!.line}: ${first!.why}. ` +
      'Is this a list of addresses, with its column named in the first line?',
  )
}

/** Newest first, page by page. */
export const exportSuppressions = verb(
  'see',
  async (
    op,
    { company, types }: { company: string; types?: readonly SuppressionType[] | undefined },
  ): Promise<AsyncIterable<Suppression[]>> => {
    const page = (after?: string) => listSuppressions(op, { company, types, after, limit: STEP })
    // What the caller may not do is said at once.
    return pagesFrom(await page(), page)
  },
)

async function* pagesFrom(
  first: Suppression[],
  next: (after: string) => Promise<Suppression[]>,
): AsyncGenerator<Suppression[]> {
  for (let page = first; page.length > 0; page = await next(page.at(-1)!.id)) yield page
}

/** A file in pieces, which `importSuppressions` reads. */
export async function* csvOfAll(pages: AsyncIterable<Suppression[]>): AsyncGenerator<string> {
  yield CSV_HEADER
  for await (const page of pages) yield csvOf(page)
}
