/** Makes the files of an export. Loaded when an export begins, or the browser is idle. */
import { downloadZip } from 'client-zip'
import { CATEGORIZED } from '../../../../src/email/event.ts'
import { ApiError, call, fileOf } from '../../api/client.ts'
import { persistently } from '../../api/persistently.ts'
import { type EmailRowDetails, emailsCsv, messageName, type UnclippedEmail } from './export-content.ts'
import type { EmailListItem } from './merge.ts'

/** Octets of all messages of one export. */
const MAX_OCTETS = 1024 ** 3
/** Messages that are read at the same time. */
const PARALLEL_READS = 4
/** Emails of which more than their rows is read at the same time. */
const READ_TOGETHER = 100

export interface ExportCounts {
  /** Emails that are in the file. */
  done: number
  /** Emails without content, which retention has removed. */
  missing: number
  /** Older emails were left out. */
  clipped: boolean
}

/** The run that a file is made for. */
interface ExportProgress {
  signal: AbortSignal
  run: () => ExportCounts
  set: (change: Partial<ExportCounts>) => void
}

export async function csv(
  emails: readonly EmailListItem[],
  { signal, run, set }: ExportProgress,
): Promise<Blob> {
  const more = new Map<string, EmailRowDetails>()
  const partial = emails.filter((email) => hasReason(email) || isClipped(email))
  set({ done: emails.length - partial.length })
  for (const [company, those] of Map.groupBy(partial, (email) => email.company)) {
    for (let at = 0; at < those.length; at += READ_TOGETHER) {
      const some = those.slice(at, at + READ_TOGETHER)
      for (const reason of await reasonsOf(signal, company, some.filter(hasReason).map(idOf))) {
        more.set(reason.id, { reason })
      }
      for (const texts of await unclippedOf(signal, company, some.filter(isClipped).map(idOf))) {
        more.set(texts.id, { ...more.get(texts.id), texts })
      }
      set({ done: run().done + some.length })
    }
  }
  return new Blob([emailsCsv(emails, more)], { type: 'text/csv;charset=utf-8' })
}

const idOf = ({ id }: EmailListItem) => id

function hasReason({ lastEvent }: EmailListItem): boolean {
  return (CATEGORIZED as readonly string[]).includes(lastEvent)
}

/** Rows have the first tags, and the beginnings of long texts. */
function isClipped({ from, to, subject, tags, tagCount }: EmailListItem): boolean {
  return tagCount > tags.length || [from, to, subject, ...tags].some((text) => text.endsWith('…'))
}

async function reasonsOf(signal: AbortSignal, company: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  const query = { ids: ids.join(',') }
  const read = () => call('GET /companies/:company/emails/reasons', { company, query, signal })
  return (await persistently(read, () => signal.aborted)).reasons
}

/** An answer may end before the last email. */
async function unclippedOf(signal: AbortSignal, company: string, ids: readonly string[]) {
  const found: UnclippedEmail[] = []
  for (let rest = ids; rest.length > 0; ) {
    const query = { ids: rest.join(',') }
    const read = () => call('GET /companies/:company/emails/unclipped', { company, query, signal })
    const { emails } = await persistently(read, () => signal.aborted)
    found.push(...emails)
    const last = emails.at(-1)
    rest = last === undefined ? [] : rest.slice(rest.indexOf(last.id) + 1)
  }
  return found
}

/** Browsers keep a large file on disk while it grows. */
export async function zip(emails: readonly EmailListItem[], progress: ExportProgress): Promise<Blob> {
  return await downloadZip(messagesOf(emails, progress)).blob()
}

async function* messagesOf(emails: readonly EmailListItem[], { signal, run, set }: ExportProgress) {
  let octets = 0
  for (let at = 0; at < emails.length; at += PARALLEL_READS) {
    const some = emails.slice(at, at + PARALLEL_READS)
    const messages = await Promise.all(some.map((email) => messageOf(email, signal)))
    for (const [index, input] of messages.entries()) {
      signal.throwIfAborted()
      if (input === null) {
        set({ missing: run().missing + 1 })
        continue
      }
      octets += input.size
      if (octets > MAX_OCTETS) return set({ clipped: true })
      const email = some[index]!
      yield { name: messageName(email), lastModified: new Date(email.createdAt), input }
      set({ done: run().done + 1 })
    }
  }
}

/** Null: its content is gone, or the email itself. */
async function messageOf({ company, id }: EmailListItem, signal: AbortSignal): Promise<Blob | null> {
  const read = () =>
    fileOf('GET /companies/:company/emails/:email/source.eml', { company, email: id, signal })
  try {
    return await persistently(read, () => signal.aborted)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
