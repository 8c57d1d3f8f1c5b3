/** The import of a file, which continues while the person views other pages of the console. */
import { persistently } from '../../api/persistently.ts'
import { type ImportPiece, importPiece, reloadSuppressions } from '../../api/suppressions.ts'
import { keepingOpen, LongRun, useLongRun } from '../../parts/long-run.ts'
import { piecesOf } from './file-pieces.ts'

interface InvalidLine {
  line: number
  why: string
  /** The line as it is in the file. */
  text: string
}

export interface ImportRun {
  company: string
  file: string
  state: 'running' | 'done' | 'stopped' | 'failed'
  /** Octets of the file that are imported, and octets of the whole file. */
  octets: number
  size: number
  added: number
  present: number
  bad: number
  /** The first invalid lines. */
  badLines: readonly InvalidLine[]
  /** The reason why the import failed. */
  trouble: string | null
}

/** The most invalid lines that are kept for the report. */
const REPORTED = 100_000
/** With this many invalid lines, and fewer valid ones, the file is not a list of addresses. */
const NO_LIST = 10_000

const run = new LongRun<ImportRun>()
let stopping = false

export function useImportRun(): ImportRun | null {
  return useLongRun(run)
}

export function stopImport(): void {
  stopping = true
}

export function forgetImport(): void {
  if (run.value?.state !== 'running') run.set(null)
}

/** Runs one import at a time. */
export async function startImport(company: string, file: File, list: ImportPiece['list']): Promise<void> {
  if (run.value?.state === 'running') return
  stopping = false
  await keepingOpen(() => work(company, file, list))
}

async function work(company: string, file: File, list: ImportPiece['list']): Promise<void> {
  let now: ImportRun = {
    company,
    file: file.name,
    state: 'running',
    octets: 0,
    size: file.size,
    added: 0,
    present: 0,
    bad: 0,
    badLines: [],
    trouble: null,
  }
  run.set(now)
  let ticket: string | undefined
  try {
    for await (const { text, begun, octets } of piecesOf(file)) {
      const piece = {
        list,
        text,
        file: file.name.slice(0, 300),
        ...(begun && { begun }),
        ...(ticket !== undefined && { ticket }),
      }
      // Importing an entry twice does no harm.
      const report = await persistently(
        () => importPiece(company, piece),
        () => stopping,
      )
      ticket = report.ticket
      const before = begun?.lines ?? 0
      const texts = report.badLines.length === 0 ? [] : text.split(/\r\n?|\n/)
      const room = REPORTED - now.badLines.length
      const found = report.badLines
        .slice(0, room)
        .map(({ line, why }) => ({ line, why, text: texts[line - before - 1] ?? '' }))
      now = {
        ...now,
        octets,
        added: now.added + report.added,
        present: now.present + report.present,
        bad: now.bad + report.bad,
        badLines: found.length === 0 ? now.badLines : [...now.badLines, ...found],
      }
      run.set(now)
      if (now.bad >= NO_LIST && now.bad > now.added + now.present) {
        throw new Error('Most lines are invalid. Is this a list of addresses?')
      }
      if (stopping) return run.set({ ...now, state: 'stopped' })
    }
    run.set({ ...now, state: 'done' })
  } catch (error) {
    run.set({ ...now, state: 'failed', trouble: error instanceof Error ? error.message : String(error) })
  } finally {
    void reloadSuppressions()
  }
}
