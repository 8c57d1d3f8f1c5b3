/**
 * The export of emails, which continues while the person views other pages of the console. The browser reads the list
 * and the messages one after the other and puts the file together, so the service keeps nothing for it.
 */
import { save } from '../../parts/download.ts'
import { loaded } from '../../parts/later.ts'
import { keepingOpen, LongRun, useLongRun } from '../../parts/long-run.ts'
import type { ExportCounts } from './export-files.ts'
import type { EmailListItem } from './merge.ts'

export type ExportKind = 'csv' | 'zip'

export interface ExportRun extends ExportCounts {
  kind: ExportKind
  state: 'finding' | 'reading' | 'done' | 'stopped' | 'failed'
  /** Emails found. */
  found: number
  /** The reason why the export failed. */
  trouble: string | null
}

/** Emails of one export. */
const MAX: Readonly<Record<ExportKind, number>> = { csv: 100_000, zip: 10_000 }

export const FILE_NAMES: Readonly<Record<ExportKind, string>> = { csv: 'emails.csv', zip: 'emails.zip' }

/** Reads the emails, newest first. `onPage`: called with their number so far. */
export type LoadEmails = (onPage: (count: number) => void, most: number) => Promise<readonly EmailListItem[]>

const files = loaded(
  () => import('./export-files.ts'),
  () => Promise.resolve(),
)

const run = new LongRun<ExportRun>()
let stop = new AbortController()

function set(change: Partial<ExportRun>): void {
  run.set({ ...run.value!, ...change })
}

export function useExportRun(): ExportRun | null {
  return useLongRun(run)
}

export function isUnderWay({ state }: Pick<ExportRun, 'state'>): boolean {
  return state === 'finding' || state === 'reading'
}

export function stopExport(): void {
  stop.abort()
}

/** Runs one export at a time. False: another one is under way. */
export function startExport(kind: ExportKind, load: LoadEmails): boolean {
  if (run.value !== null && isUnderWay(run.value)) return false
  stop = new AbortController()
  run.set({ kind, state: 'finding', found: 0, done: 0, missing: 0, clipped: false, trouble: null })
  void keepingOpen(() => work(kind, load))
  return true
}

async function work(kind: ExportKind, load: LoadEmails): Promise<void> {
  try {
    const emails = await load((found) => {
      stop.signal.throwIfAborted()
      set({ found })
    }, MAX[kind])
    set({ state: 'reading', found: emails.length, clipped: emails.length === MAX[kind] })
    const make = (await files())[kind]
    const file = await make(emails, { signal: stop.signal, run: () => run.value!, set })
    stop.signal.throwIfAborted()
    save(FILE_NAMES[kind], file)
    set({ state: 'done' })
  } catch (error) {
    if (stop.signal.aborted) set({ state: 'stopped' })
    else set({ state: 'failed', trouble: error instanceof Error ? error.message : String(error) })
  }
}
