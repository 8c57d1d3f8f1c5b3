/**
 * The export of emails, which continues while the person views other pages of the console. The browser reads the list
 * and the messages one after the other and puts the file together, so the service keeps nothing for it.
 */
import { CATEGORIZED } from '../../../../src/email/event.ts'
import { ApiError, call, fileOf } from '../../api/client.ts'
import { persistently } from '../../api/persistently.ts'
import { save } from '../../parts/download.ts'
import { keepingOpen, LongRun, useLongRun } from '../../parts/long-run.ts'
import { emailsCsv, type MoreOfEmail, messageName } from './exported.ts'
import type { EmailListItem } from './merge.ts'

export type ExportKind = 'csv' | 'zip'

export interface ExportRun {
  kind: ExportKind
  state: 'finding' | 'reading' | 'done' | 'stopped' | 'failed'
  /** Emails found, and those that are in the file. */
  found: number
  done: number
  /** Emails without content, which retention has removed. */
  missing: number
  /** Older emails were left out. */
  clipped: boolean
  /** The reason why the export failed. */
  trouble: string | null
}

/** Emails of one export. */
const MOST: Readonly<Record<ExportKind, number>> = { csv: 100_000, zip: 10_000 }
/** Octets of all messages of one export. */
const MOST_OCTETS = 1024 ** 3
/** Messages that are read at the same time. */
const TOGETHER = 4
/** Emails whose reasons or tags are read at the same time. */
const READ_TOGETHER = 100

export const FILE_NAMES: Readonly<Record<ExportKind, string>> = { csv: 'emails.csv', zip: 'emails.zip' }

/** Reads the emails, newest first. `onPage`: called with their number so far. */
export type LoadEmails = (onPage: (count: number) => void, most: number) => Promise<readonly EmailListItem[]>

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
    }, MOST[kind])
    set({ state: 'reading', found: emails.length, clipped: emails.length === MOST[kind] })
    const file = kind === 'csv' ? await csv(emails) : await zip(emails)
    stop.signal.throwIfAborted()
    save(FILE_NAMES[kind], file)
    set({ state: 'done' })
  } catch (error) {
    if (stop.signal.aborted) set({ state: 'stopped' })
    else set({ state: 'failed', trouble: error instanceof Error ? error.message : String(error) })
  }
}

async function csv(emails: readonly EmailListItem[]): Promise<Blob> {
  const more = new Map<string, MoreOfEmail>()
  const partial = emails.filter((email) => hasReason(email) || hasMoreTags(email))
  set({ done: emails.length - partial.length })
  for (const [company, those] of Map.groupBy(partial, (email) => email.company)) {
    for (let at = 0; at < those.length; at += READ_TOGETHER) {
      const some = those.slice(at, at + READ_TOGETHER)
      for (const reason of await reasonsOf(company, some.filter(hasReason).map(idOf))) {
        more.set(reason.id, { reason })
      }
      for (const { id, tags } of await tagsOf(company, some.filter(hasMoreTags).map(idOf))) {
        more.set(id, { ...more.get(id), tags })
      }
      set({ done: run.value!.done + some.length })
    }
  }
  return new Blob([emailsCsv(emails, more)], { type: 'text/csv;charset=utf-8' })
}

const idOf = ({ id }: EmailListItem) => id

function hasReason({ lastEvent }: EmailListItem): boolean {
  return (CATEGORIZED as readonly string[]).includes(lastEvent)
}

/** Rows have the first tags, and the beginning of long ones. */
function hasMoreTags({ tags, tagCount }: EmailListItem): boolean {
  return tagCount > tags.length || tags.some((tag) => tag.endsWith('…'))
}

async function reasonsOf(company: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  const { signal } = stop
  const query = { ids: ids.join(',') }
  const read = () => call('GET /companies/:company/emails/reasons', { company, query, signal })
  return (await persistently(read, () => signal.aborted)).reasons
}

/** An answer may end before the last email. */
async function tagsOf(company: string, ids: readonly string[]) {
  const { signal } = stop
  const found: { id: string; tags: string[] }[] = []
  for (let rest = ids; rest.length > 0; ) {
    const query = { ids: rest.join(',') }
    const read = () => call('GET /companies/:company/emails/tags', { company, query, signal })
    const { emails } = await persistently(read, () => signal.aborted)
    found.push(...emails)
    const last = emails.at(-1)
    rest = last === undefined ? [] : rest.slice(rest.indexOf(last.id) + 1)
  }
  return found
}

/** Browsers keep a large file on disk while it grows. */
async function zip(emails: readonly EmailListItem[]): Promise<Blob> {
  const { downloadZip } = await import('client-zip')
  return await downloadZip(messagesOf(emails)).blob()
}

async function* messagesOf(emails: readonly EmailListItem[]) {
  let octets = 0
  for (let at = 0; at < emails.length; at += TOGETHER) {
    const some = emails.slice(at, at + TOGETHER)
    const messages = await Promise.all(some.map(messageOf))
    for (const [index, input] of messages.entries()) {
      stop.signal.throwIfAborted()
      if (input === null) {
        set({ missing: run.value!.missing + 1 })
        continue
      }
      octets += input.size
      if (octets > MOST_OCTETS) return set({ clipped: true })
      const email = some[index]!
      yield { name: messageName(email), lastModified: new Date(email.createdAt), input }
      set({ done: run.value!.done + 1 })
    }
  }
}

/** Null: its content is gone, or the email itself. */
async function messageOf({ company, id }: EmailListItem): Promise<Blob | null> {
  const { signal } = stop
  const read = () =>
    fileOf('GET /companies/:company/emails/:email/source.eml', { company, email: id, signal })
  try {
    return await persistently(read, () => signal.aborted)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
