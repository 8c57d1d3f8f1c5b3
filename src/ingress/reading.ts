/**
 * Turns the octets of a request into an accepted email. A small request is read on the main thread. A worker reads and
 * checks the others: large bodies, templates with variables, and requests that name files by URL, which take two jobs,
 * before and after the files are fetched.
 */
import type { Principal } from '../accounts/account.ts'
import {
  type CheckedSubmission,
  type CheckOutcome,
  type CheckParameters,
  checkSubmission,
} from '../intake/check.ts'
import { deriveHere } from '../intake/derived-text.ts'
import { Refusal } from '../intake/refusal.ts'
import { type FetchResult, placeFiles, type ReserveOctets, remoteUrls } from '../intake/remote-file.ts'
import type { Submission } from '../intake/submission.ts'
import { largeBodies } from '../mail/body.ts'
import type { AcceptedEmail, Idempotency } from '../store/store.ts'
import { asBuffer, buffersBeneath, type Job, jobAt, withOwnBuffer } from '../workers/job.ts'
import type { IngressDeps } from './deps.ts'
import { type AnyReason, Fault } from './fault.ts'
import { type Idempotent, withIdempotency } from './idempotency.ts'

/** Bodies of at most this many octets are read on the main thread: that takes little time for any content. */
export const SMALL_BODY = 32 * 1024

/** How one API reads a request to send mail. `Asked`: the data of the request besides the body, as plain data. */
export interface Reader<Asked> {
  /** The worker module: its default export is `readJob` of this reader, and it also exports `buffersOf`. */
  job: URL
  /** Throws a Fault or a Refusal for a body that cannot be read. */
  read(asked: Asked, body: Buffer): Submission
  /** The idempotency key in the message itself; absent: only the request can carry one. */
  named?(submission: Submission): Idempotent | null
  /** The part that equal requests have in common, from which the fingerprint of an idempotent request is computed. */
  same(submission: Submission, body: Buffer): unknown
}

interface ReadJobInput<Asked> {
  asked: Asked
  body: Uint8Array
  idempotent: Idempotent | null
  terms: CheckParameters
  /** Files that the submission names by URL, once they have been fetched. */
  fetched: ReadonlyMap<string, FetchResult> | null
}

/**
 * The worker's result. It has the reason of an error, because error classes do not cross threads. `urls`: the files to
 * fetch. The body is returned with them, so that it can be read again with the files; `outcome` is then that of the
 * message without its files.
 */
type ReadJobResult =
  | { outcome: CheckOutcome }
  | { reason: AnyReason }
  | { urls: string[]; body: Uint8Array; idempotency: Idempotency | null; outcome: CheckOutcome }

/** The worker's job for a request. */
export function readJob<Asked>({ read, named, same }: Reader<Asked>) {
  return async ({ asked, body, idempotent, terms, fetched }: ReadJobInput<Asked>): Promise<ReadJobResult> => {
    const octets = asBuffer(body)
    try {
      let submission = read(asked, octets)
      const urls = remoteUrls(submission)
      const repeatable = idempotent ?? named?.(submission) ?? null
      if (repeatable !== null) {
        submission = await withIdempotency(submission, repeatable, same(submission, octets))
      }
      if (urls !== null) {
        const { idempotency = null } = submission
        if (fetched === null) {
          const outcome = checkSubmission({ ...submission, attachments: [] }, terms)
          return { urls, body, idempotency, outcome }
        }
        placeFiles(submission, fetched)
      }
      deriveHere(submission)
      return { outcome: checkSubmission(submission, terms) }
    } catch (error) {
      if (error instanceof Refusal || error instanceof Fault) return { reason: error.reason }
      throw error
    }
  }
}

/** The buffers of a result that are transferred to the main thread. */
export function buffersOf(read: ReadJobResult): ArrayBuffer[] {
  if ('urls' in read) return buffersBeneath([read.body])
  if (!('outcome' in read) || !('checked' in read.outcome)) return []
  // A file that is attached twice is one buffer.
  return [...new Set(buffersBeneath(filesOf(read.outcome.checked.email)))]
}

/** The parts of an email that may be large. */
export function filesOf({ content, raw }: CheckedSubmission['email']): Uint8Array[] {
  const files = [...content.attachments.map((file) => file.content), ...largeBodies(content)]
  return raw === null ? files : [raw, ...files]
}

/**
 * A body as it is sent to a worker. If it fills its buffer, it is transferred, and the caller cannot use it afterwards;
 * otherwise it is copied.
 */
export function handedOver(body: Buffer): { octets: Uint8Array; transfer: ArrayBuffer[] } {
  const { buffer, byteLength } = body
  const own = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > SMALL_BODY
  return own ? { octets: body, transfer: [buffer] } : { octets: withOwnBuffer(body), transfer: [] }
}

type ReadingParts = Pick<IngressDeps, 'intake' | 'workers' | 'remoteFiles'>

export class Reading<Asked> {
  readonly #parts: ReadingParts
  readonly #reader: Reader<Asked>
  readonly #job: Job<ReadJobInput<Asked>, ReadJobResult>

  constructor(parts: ReadingParts, reader: Reader<Asked>) {
    this.#parts = parts
    this.#reader = reader
    this.#job = jobAt(reader.job)
  }

  /**
   * Throws, or rejects with, a Fault or a Refusal. `reserve` makes room for fetched files; without it, no files are
   * fetched.
   */
  accept(
    principal: Principal,
    asked: Asked,
    body: Buffer,
    idempotent: Idempotent | null,
    reserve: ReserveOctets | null = null,
  ): Promise<AcceptedEmail> {
    if (body.length > SMALL_BODY) return this.#acceptElsewhere(principal, asked, body, idempotent, reserve)
    const { intake } = this.#parts
    const submission = this.#reader.read(asked, body)
    // A small template with many recipients can mean much work, and so can fetched files.
    if (submission.recipientVariables !== undefined || remoteUrls(submission) !== null) {
      return this.#acceptElsewhere(principal, asked, body, idempotent, reserve)
    }
    const repeatable = idempotent ?? this.#reader.named?.(submission) ?? null
    if (repeatable === null) return intake.submit(principal, submission)
    const same = this.#reader.same(submission, body)
    return withIdempotency(submission, repeatable, same).then((whole) => intake.submit(principal, whole))
  }

  async #acceptElsewhere(
    principal: Principal,
    asked: Asked,
    body: Buffer,
    idempotent: Idempotent | null,
    reserve: ReserveOctets | null,
  ): Promise<AcceptedEmail> {
    const { intake, remoteFiles } = this.#parts
    const { companyId } = principal
    const order = { asked, idempotent }
    const { octets, transfer } = handedOver(body)
    const first = { ...order, body: octets, terms: intake.terms(), fetched: null }
    let read = await this.#read(companyId, first, transfer)
    if ('urls' in read) {
      if (reserve === null) throw new Error('this reader names files by URL and does not fetch them')
      const [wrong] = (await intake.judge(principal, [read.outcome])).values()
      if (wrong !== undefined) intake.refuse(wrong)
      // The files of a repeated request may no longer exist.
      const earlier = read.idempotency && (await intake.repeated(principal, read.idempotency))
      if (earlier?.length === 1) return earlier[0]!
      const fetched = await remoteFiles.fetch(companyId, read.urls, reserve)
      const files = [...fetched.values()].flatMap((file) => ('content' in file ? file.content : []))
      read = await this.#read(
        companyId,
        { ...order, body: read.body, terms: intake.terms(), fetched },
        buffersBeneath([read.body, ...files]),
      )
    }
    if ('reason' in read) throw new Fault(read.reason)
    if ('urls' in read) throw new Error('fetched files are requested again')
    return intake.accept(principal, read.outcome)
  }

  #read(company: string, order: ReadJobInput<Asked>, transfer: ArrayBuffer[]): Promise<ReadJobResult> {
    let weight = order.body.byteLength
    for (const buffer of transfer) if (buffer !== order.body.buffer) weight += buffer.byteLength
    return this.#parts.workers.run(this.#job, order, { company, weight, transfer })
  }
}
