/** Whole lists of suppressions, in files. */
import type { Suppression, SuppressionType } from '../email/suppression.ts'
import { addAllowed, allowedValue } from './allow-list.ts'
import type { Audit } from './audited.ts'
import { OperateError } from './error.ts'
import { findCompany, findWholeCompany } from './find.ts'
import { checkedSuppression } from './suppression-check.ts'
import { allowedLines, type Begun, CSV_HEADER, type CsvLine, csvLines, csvOf } from './suppression-csv.ts'
import { addSuppressions, listSuppressions } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

/** Lines put on the list in one commit, and read in one step. */
const STEP = 500
/** Of the lines that cannot be used so many are told. */
const BAD_TOLD = 1_000
/** With so many of them, and fewer others, it is no list: what is read on and on for nothing keeps others waiting. */
const NO_LIST = 10_000

export interface SuppressionImport {
  company: string
  /** A file in UTF-8. */
  source: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>
  /** Of lines that do not say. */
  type: SuppressionType
  /** Id of the sending domain they come from. */
  domainId?: string | undefined
  /** The source is a piece of the file. */
  begun?: Begun | undefined
  onStep?: (sum: Imported) => void
  part?: ImportPart | undefined
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
  /** A quotation mark is open at the end: nothing behind the first of `badLines` was read. */
  stopped: boolean
  /** The first of those that cannot be used; before all of them one behind which nothing was read. */
  badLines: { line: number; why: string }[]
  /** Of the audit list; null: there is none. */
  entry: number | null
}

/** Every line that can be used counts, whatever others hold. What is interrupted may be done again. */
export const importSuppressions = verb(
  'manage',
  async (
    op,
    { company: text, source, type, domainId, begun, onStep }: SuppressionImport,
  ): Promise<ImportReport> => {
    const company = findCompany(op, text).id
    return await imported(op, csvLines(source, type, begun), {
      check: (entry) => checkedSuppression(entry, company, null, op.now()),
      async put(entries) {
        const results = await addSuppressions(op, { company, entries, domainId })
        return results.map(({ added }) => added)
      },
      onStep,
    })
  },
  importAudit('importSuppressions'),
)

export type AllowedImport = Pick<SuppressionImport, 'company' | 'source' | 'begun' | 'onStep' | 'part'>

/** The same of the allow list. */
export const importAllowed = verb(
  'manage',
  async (op, { company: text, source, begun, onStep }: AllowedImport): Promise<ImportReport> => {
    const company = findWholeCompany(op, text).id
    return await imported(op, allowedLines(source, begun), {
      check: ({ value }) => allowedValue(value),
      put: (entries) => addAllowed(op, { company, entries }),
      onStep,
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
  /** Throws `invalid`. */
  check(entry: Entry): void
  /** For each whether it is new. */
  put(entries: Entry[]): Promise<boolean[]>
  onStep: ((sum: Imported) => void) | undefined
}

async function imported<Entry>(
  { entry: number = null }: Operation,
  lines: AsyncIterable<CsvLine<Entry>>,
  { check, put, onStep }: Importing<Entry>,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, present: 0, bad: 0, stopped: false, badLines: [], entry: number }
  const refuse = (line: number, why: string, isLast = false) => {
    report.bad += 1
    report.stopped ||= isLast
    if (isLast) report.badLines.unshift({ line, why })
    else if (report.badLines.length < BAD_TOLD) report.badLines.push({ line, why })
    if (report.bad < NO_LIST || report.bad < report.added + report.present) return
    const [first] = report.badLines
    throw new OperateError(
      'invalid',
      `most lines up to line ${line} cannot be used, ${report.bad} of them; the first is line ${first!.line}: ${first!.why}. ` +
        'Is this a list of addresses, with its column named in the first line?',
    )
  }
  let entries: Entry[] = []
  const step = async () => {
    for (const added of await put(entries)) report[added ? 'added' : 'present'] += 1
    entries = []
    onStep?.(report)
  }
  for await (const line of lines) {
    if ('why' in line) {
      refuse(line.line, line.why, line.isLast)
      continue
    }
    try {
      check(line.entry)
    } catch (error) {
      if (!(error instanceof OperateError)) throw error
      refuse(line.line, error.message)
      continue
    }
    entries.push(line.entry)
    if (entries.length === STEP) await step()
  }
  await step()
  return report
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
