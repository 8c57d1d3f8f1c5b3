/**
 * What is between the octets of a request and what the intake makes of them, for bodies that are read in a worker:
 * parsed, checked, and given back in one go.
 */
import { checkSubmission, type Outcome, type Terms } from '../intake/check.ts'
import { deriveHere } from '../intake/derived-text.ts'
import { type Reason, Refusal } from '../intake/refusal.ts'
import type { Submission } from '../intake/submission.ts'
import { alone, buffersBeneath, type Job } from '../workers/job.ts'
import type { Workers } from '../workers/workers.ts'
import { Fault, type HttpReason } from './fault.ts'
import { fingerprint } from './idempotency.ts'

/** Octets up to which a body is read on the spot: it cannot do harm, whatever is in it. */
export const SMALL_BODY = 32 * 1024

/** Error classes do not cross threads, their reasons do. */
export type Read = { outcome: Outcome } | { refusal: Reason } | { fault: HttpReason }

/** The key of an idempotent request, with the name of its endpoint. */
export interface Idempotent {
  key: string
  endpoint: string
}

/** What a job does with the submission that `read` gives. */
export async function readAndCheck(
  read: () => Submission | Promise<Submission>,
  terms: Terms,
): Promise<Read> {
  try {
    const submission = await read()
    deriveHere(submission)
    return { outcome: checkSubmission(submission, terms) }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.reason }
    if (error instanceof Fault) return { fault: error.reason }
    throw error
  }
}

/** The submission with its idempotency; `same` is what two equal requests have in common. */
export async function withIdempotency(
  submission: Submission,
  idempotent: Idempotent | null,
  same: unknown,
): Promise<Submission> {
  if (idempotent === null) return submission
  const { key, endpoint } = idempotent
  return { ...submission, idempotency: { key, fingerprint: await fingerprint(endpoint, same) } }
}

/** Octets that are handed over to the main thread. */
export function buffersOf(read: Read): ArrayBuffer[] {
  if (!('outcome' in read) || !('checked' in read.outcome)) return []
  const { content, raw } = read.outcome.checked.email
  const files = content.attachments.map((file) => file.content)
  return buffersBeneath(raw === null ? files : [raw, ...files])
}

/** Has the body read in a worker. Throws what was thrown there. */
export async function readElsewhere<Order extends { body: Uint8Array }>(
  workers: Workers,
  company: string,
  job: Job<Order, Read>,
  order: Order,
): Promise<Outcome> {
  const { body } = order
  const { buffer, byteLength } = body
  // What fills its buffer is nobody else's.
  const own = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > SMALL_BODY
  const posted = own ? order : { ...order, body: alone(body) }
  const transfer = own ? [buffer] : []
  const read = await workers.run(job, posted, { company, weight: byteLength, transfer })
  if ('refusal' in read) throw new Refusal(read.refusal)
  if ('fault' in read) throw new Fault(read.fault)
  return read.outcome
}
