/** Imports and exports of whole suppression lists as files. */
import type { Suppression, SuppressionType } from '../email/suppression.ts'
import { type AllowListInput, addAllowed } from './allow-list.ts'
import type { Audit } from './audit-trail.ts'
import { OperateError } from './error.ts'
import { domainNames, findCompany, findWholeCompany, listedAccounts } from './find.ts'
import type { SuppressionInput } from './suppression-check.ts'
import {
  type BadLine,
  CSV_HEADER,
  type CsvPiece,
  type CsvPieceResult,
  csvOf,
  type ListedSuppression,
  placeBehind,
  type ReadCsvPiece,
  readCsvPiece,
  START,
} from './suppression-csv.ts'
import { addSuppressions, listSuppressions } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

/** Entries added in one commit, and exported in one step. */
const STEP = 500
/** Characters read in one step. */
const PIECE = 32 * 1024
/** The most invalid lines to report. */
const BAD_TOLD = 1_000
/**
 * With this many invalid lines, and fewer valid ones, the file is not a list: reading on would only keep others
 * waiting.
 */
const NO_LIST = 10_000

export interface SuppressionImport {
  company: string
  /** A file in UTF-8. */
  source: ChunkSource
  /** The type of lines that name none. */
  type: SuppressionType
  /** Name or id of the sending domain whose list gets all entries, whatever domains the file names. */
  domain?: string | undefined
  /** Set if the source is a piece of the file. */
  begun?: PieceStart | undefined
  /** Reads the pieces; absent: read on this thread. */
  read?: ReadCsvPiece | undefined
  onStep?: (sum: ImportCounts) => void
  part?: ImportPart | undefined
}

type ChunkSource = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/**
 * The place of a piece in its file: behind this many lines, the first of which are a record that may name the columns.
 */
interface PieceStart {
  head: string
  lines: number
}

/** A piece of a file that comes in several requests, which share one entry of the audit list. */
export interface ImportPart {
  /** The name of the file. */
  file: string | undefined
  /** The totals of the pieces before; undefined: this is the first. */
  before: (ImportCounts & { entry: number }) | undefined
}

export interface ImportCounts {
  /** Entries that were added. */
  added: number
  /** Entries that were on the list for this type already. */
  present: number
  /** Invalid lines. */
  bad: number
}

export interface ImportReport extends ImportCounts {
  /** The first of the invalid lines. */
  badLines: BadLine[]
  /** The number of the entry in the audit list; null: there is none. */
  entry: number | null
}

/** Imports every valid line, even if others are invalid. An interrupted import may be repeated. */
export const importSuppressions = verb(
  'manage',
  async (op, input: SuppressionImport): Promise<ImportReport> => {
    const company = findCompany(op, input.company).id
    const { type, domain } = input
    const ids = domainIds(op, company)
    return await importPieces<ListedSuppression>(op, input, type, {
      entriesOf: ({ suppressions }) => suppressions,
      async put(entries) {
        const all = entries.map(({ sendingDomain, ...entry }): SuppressionInput => {
          return domain === undefined ? { ...entry, domainId: ids.get(sendingDomain ?? '') } : entry
        })
        const results = await addSuppressions(op, { company, domain, entries: all })
        return results.map(({ added }) => added)
      },
    })
  },
  importAudit('importSuppressions'),
)

/** By name. A domain that the company does not have is ignored: its entries go on the list of the company. */
function domainIds(op: Operation, company: string): ReadonlyMap<string, string> {
  const { domains } = listedAccounts(op, { company })
  return new Map(domains.map(({ name, id }) => [name, id]))
}

export type AllowListImport = Omit<SuppressionImport, 'type'>

/** The same for the allow list. */
export const importAllowed = verb(
  'manage',
  async (op, input: AllowListImport): Promise<ImportReport> => {
    const company = findWholeCompany(op, input.company).id
    return await importPieces<AllowListInput>(op, input, 'allowed', {
      entriesOf: ({ allowed }) => allowed,
      put: (entries) => addAllowed(op, { company, domain: input.domain, entries }),
    })
  },
  importAudit('importAllowed'),
)

function importAudit(action: string): Audit<Pick<SuppressionImport, 'part'>, ImportReport> {
  return {
    action,
    unlessByKey: true,
    inParts: true,
    goesOn: ({ part }) => part?.before?.entry,
    note({ part }, report) {
      const detail = { file: part?.file }
      if (report === null) return { target: '', detail }
      const { added, present, bad } = importedSoFar(part, report)
      return { target: `${added} entries`, detail: { ...detail, added, present, bad } }
    },
  }
}

/** The totals including the pieces before. */
export function importedSoFar(part: ImportPart | undefined, report: ImportCounts): ImportCounts {
  const { added = 0, present = 0, bad = 0 } = part?.before ?? {}
  return { added: added + report.added, present: present + report.present, bad: bad + report.bad }
}

interface ImportTarget<Entry> {
  entriesOf(read: CsvPieceResult): Entry[]
  /** Returns, for each entry, whether it is new. */
  put(entries: Entry[]): Promise<boolean[]>
}

async function importPieces<Entry>(
  { entry = null }: Operation,
  { source, begun, read = readCsvPiece, onStep }: AllowListImport,
  list: CsvPiece['list'],
  { entriesOf, put }: ImportTarget<Entry>,
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

/** The source's text, cut into pieces that are each read in one step. */
async function* piecesOf(source: ChunkSource): AsyncGenerator<{ text: string; isLast: boolean }> {
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
    `${bad} of the lines up to line ${lines}, which is most of them, are invalid; the first is line ${first!.line}: ${first!.why}. ` +
      'Check that the file is a list of addresses, with the column named in the first line',
  )
}

/** Newest first, page by page. */
export const exportSuppressions = verb(
  'see',
  async (
    op,
    {
      company,
      domain,
      types,
    }: { company: string; domain?: string | undefined; types?: readonly SuppressionType[] | undefined },
  ): Promise<AsyncIterable<Suppression[]>> => {
    const page = (after?: string) => listSuppressions(op, { company, domain, types, after, limit: STEP })
    // The first page is read here, so that a caller without the right gets the error at once.
    return pagesFrom(await page(), page)
  },
)

async function* pagesFrom(
  first: Suppression[],
  next: (after: string) => Promise<Suppression[]>,
): AsyncGenerator<Suppression[]> {
  for (let page = first; page.length > 0; page = await next(page.at(-1)!.id)) yield page
}

/** The CSV file in pieces, in the format that `importSuppressions` reads. */
export async function* csvOfAll(op: Operation, pages: AsyncIterable<Suppression[]>): AsyncGenerator<string> {
  yield CSV_HEADER
  const nameOf = domainNames(op)
  for await (const page of pages) yield csvOf(page, nameOf)
}
