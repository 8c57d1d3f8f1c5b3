/**
 * From the octets of a request to an accepted email. What is small is read on the spot; the rest in a worker, where it
 * is parsed, checked, and given back in one go.
 */
import type { Principal } from '../accounts/account.ts'
import { type Checked, checkSubmission, type Outcome, type Terms } from '../intake/check.ts'
import { deriveHere } from '../intake/derived-text.ts'
import { Refusal } from '../intake/refusal.ts'
import { type Fetched, placeFiles, type Room, remoteUrls } from '../intake/remote-file.ts'
import type { Receipt, Submission } from '../intake/submission.ts'
import { largeBodies } from '../mail/body.ts'
import type { Idempotency } from '../store/store.ts'
import { alone, asBuffer, buffersBeneath, type Job, jobAt } from '../workers/job.ts'
import type { HttpDeps } from './deps.ts'
import { type AnyReason, Fault } from './fault.ts'
import { type Idempotent, withIdempotency } from './idempotency.ts'

/** Octets up to which a body is read on the spot: it cannot do harm, whatever is in it. */
export const SMALL_BODY = 32 * 1024

/** How an API reads a request to send. `Asked`: what is known of it beside its body, plain data. */
export interface Reader<Asked> {
  /** The module that exports `readJob` of this reader as its default, and `buffersOf`. */
  job: URL
  /** Throws a Fault or a Refusal for what cannot be read. */
  read(asked: Asked, body: Buffer): Submission
  /** The key that the message itself names; without it, only a request can. */
  named?(submission: Submission): Idempotent | null
  /** What two equal requests have in common. */
  same(submission: Submission, body: Buffer): unknown
}

interface Order<Asked> {
  asked: Asked
  body: Uint8Array
  idempotent: Idempotent | null
  terms: Terms
  /** Files that the submission names by URL, once they have been fetched. */
  fetched: ReadonlyMap<string, Fetched> | null
}

/**
 * Error classes do not cross threads, their reasons do. `urls`: to be fetched before the body, which comes back, is
 * read again; `outcome` is then that of the message without any files.
 */
type Read =
  | { outcome: Outcome }
  | { reason: AnyReason }
  | { urls: string[]; body: Uint8Array; idempotency: Idempotency | null; outcome: Outcome }

/** What a worker does with a request. */
export function readJob<Asked>({ read, named, same }: Reader<Asked>) {
  return async ({ asked, body, idempotent, terms, fetched }: Order<Asked>): Promise<Read> => {
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

/** Octets that are handed over to the main thread. */
export function buffersOf(read: Read): ArrayBuffer[] {
  if ('urls' in read) return buffersBeneath([read.body])
  if (!('outcome' in read) || !('checked' in read.outcome)) return []
  // One that is attached twice was fetched once.
  return [...new Set(buffersBeneath(filesOf(read.outcome.checked.email)))]
}

/** The octets of an email that may be many. */
export function filesOf({ content, raw }: Checked['email']): Uint8Array[] {
  const files = [...content.attachments.map((file) => file.content), ...largeBodies(content)]
  return raw === null ? files : [raw, ...files]
}

/** A body on its way to a worker: moved where it fills its buffer, which is then nobody else's, else copied. */
export function handedOver(body: Buffer): { octets: Uint8Array; transfer: ArrayBuffer[] } {
  const { buffer, byteLength } = body
  const own = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > SMALL_BODY
  return own ? { octets: body, transfer: [buffer] } : { octets: alone(body), transfer: [] }
}

type Parts = Pick<HttpDeps, 'intake' | 'workers' | 'remoteFiles'>

export class Reading<Asked> {
  readonly #parts: Parts
  readonly #reader: Reader<Asked>
  readonly #job: Job<Order<Asked>, Read>

  constructor(parts: Parts, reader: Reader<Asked>) {
    this.#parts = parts
    this.#reader = reader
    this.#job = jobAt(reader.job)
  }

  /**
   * Throws or rejects with what the request is refused for. `room`: for files that are fetched; without it, none are.
   */
  accept(
    principal: Principal,
    asked: Asked,
    body: Buffer,
    idempotent: Idempotent | null,
    room: Room | null = null,
  ): Promise<Receipt> {
    if (body.length > SMALL_BODY) return this.#acceptElsewhere(principal, asked, body, idempotent, room)
    const { intake } = this.#parts
    const submission = this.#reader.read(asked, body)
    // A small template with many recipients is much work, and files that are fetched may be.
    if (submission.recipientVariables !== undefined || remoteUrls(submission) !== null) {
      return this.#acceptElsewhere(principal, asked, body, idempotent, room)
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
    room: Room | null,
  ): Promise<Receipt> {
    const { intake, remoteFiles } = this.#parts
    const { companyId } = principal
    const order = { asked, idempotent }
    const { octets, transfer } = handedOver(body)
    const first = { ...order, body: octets, terms: intake.terms(), fetched: null }
    let read = await this.#read(companyId, first, transfer)
    if ('urls' in read) {
      if (room === null) throw new Error('this reader names files by URL, and fetches none')
      const [wrong] = (await intake.judge(principal, [read.outcome])).values()
      if (wrong !== undefined) intake.refuse(wrong)
      // Its files may be there no more.
      const earlier = read.idempotency && (await intake.repeated(principal, read.idempotency))
      if (earlier?.length === 1) return earlier[0]!
      const fetched = await remoteFiles.fetch(companyId, read.urls, room)
      const files = [...fetched.values()].flatMap((file) => ('content' in file ? file.content : []))
      read = await this.#read(
        companyId,
        { ...order, body: read.body, terms: intake.terms(), fetched },
        buffersBeneath([read.body, ...files]),
      )
    }
    if ('reason' in read) throw new Fault(read.reason)
    if ('urls' in read) throw new Error('files that were fetched are asked for again')
    return intake.accept(principal, read.outcome)
  }

  #read(company: string, order: Order<Asked>, transfer: ArrayBuffer[]): Promise<Read> {
    let weight = order.body.byteLength
    for (const buffer of transfer) if (buffer !== order.body.buffer) weight += buffer.byteLength
    return this.#parts.workers.run(this.#job, order, { company, weight, transfer })
  }
}
