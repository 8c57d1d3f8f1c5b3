/** Reads the body of `POST /emails/batch` in a worker: up to a hundred emails, each checked separately. */

import { type AnyReason, Fault } from '../../../ingress/fault.ts'
import { type Idempotent, withFingerprint } from '../../../ingress/idempotency.ts'
import { filesOf } from '../../../ingress/reading.ts'
import { type CheckOutcome, type CheckParameters, checkSubmission } from '../../../intake/check.ts'
import { deriveHere } from '../../../intake/derived-text.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { type FetchResult, placeFiles, remoteUrls } from '../../../intake/remote-file.ts'
import type { Submission } from '../../../intake/submission.ts'
import type { Idempotency } from '../../../store/store.ts'
import { asBuffer, buffersBeneath } from '../../../workers/job.ts'
import { isJsonObject, parseBodies } from '../body.ts'
import { submissionOf } from '../submission.ts'

export const MAX_EMAILS = 100

export interface BatchJobInput {
  body: Uint8Array
  /** The parameters of the check for each possible email. */
  terms: CheckParameters[]
  /** True when the whole batch is refused because of one faulty email. The idempotency fingerprint includes it. */
  strict: boolean
  idempotent: Idempotent | null
  /** The files that the emails name by URL; null: the files have not been fetched yet. */
  fetched: ReadonlyMap<string, FetchResult> | null
}

/** The result of checking one email. */
export type BatchItem = CheckOutcome | { reason: AnyReason }

export type BatchJobResult =
  | { items: BatchItem[]; idempotency: Idempotency | null }
  | { reason: AnyReason }
  /**
   * The URLs to fetch, for each email. The body is returned and will be read again with the files. The items are the
   * results of checking each email without its files.
   */
  | { urls: string[][]; items: BatchItem[]; body: Uint8Array; idempotency: Idempotency | null }

export default async function readBatch(order: BatchJobInput): Promise<BatchJobResult> {
  const { body, terms, strict, idempotent, fetched } = order
  const octets = asBuffer(body)
  try {
    const read = parseBodies(octets, MAX_EMAILS).map(readOne)
    const urls = read.map((one) => ('reason' in one ? [] : (remoteUrls(one) ?? [])))
    const idempotency = idempotent && (await withFingerprint(idempotent, [strict, octets]))
    const isWhole = fetched !== null || urls.every((some) => some.length === 0)
    const items = read.map((one, index) => {
      if ('reason' in one) return one
      if (isWhole) return checkItem(one, terms[index]!, fetched)
      return checkSubmission({ ...one, attachments: [] }, terms[index]!)
    })
    return isWhole ? { items, idempotency } : { urls, items, body, idempotency }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

export function buffersOf(result: BatchJobResult): ArrayBuffer[] {
  if ('urls' in result) return buffersBeneath([result.body])
  if (!('items' in result)) return []
  const files = result.items.flatMap((item) => ('checked' in item ? filesOf(item.checked.email) : []))
  // Several emails may share one buffer: each is transferred once.
  return [...new Set(buffersBeneath(files))]
}

function readOne(item: unknown): Submission | { reason: AnyReason } {
  if (!isJsonObject(item)) return { reason: { code: 'request_invalid', detail: 'It must be an object.' } }
  try {
    return submissionOf(item)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function checkItem(
  submission: Submission,
  terms: CheckParameters,
  fetched: ReadonlyMap<string, FetchResult> | null,
): BatchItem {
  try {
    if (fetched !== null) placeFiles(submission, fetched)
    deriveHere(submission)
    return checkSubmission(submission, terms)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** The reason of an error: a reason can be sent to another thread, an instance of an error class cannot. */
function reasonOf(error: unknown): AnyReason {
  if (error instanceof Refusal || error instanceof Fault) return error.reason
  throw error
}
