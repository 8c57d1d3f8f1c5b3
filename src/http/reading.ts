/**
 * From the octets of a request to an accepted email. What is small is read on the spot; the rest in a worker, where it
 * is parsed, checked, and given back in one go.
 */
import type { Principal } from '../accounts/account.ts'
import { checkSubmission, type Outcome, type Terms } from '../intake/check.ts'
import { deriveHere } from '../intake/derived-text.ts'
import { Refusal } from '../intake/refusal.ts'
import type { Receipt, Submission } from '../intake/submission.ts'
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
}

/** Error classes do not cross threads, their reasons do. */
type Read = { outcome: Outcome } | { reason: AnyReason }

/** What a worker does with a request. */
export function readJob<Asked>({ read, named, same }: Reader<Asked>) {
  return async ({ asked, body, idempotent, terms }: Order<Asked>): Promise<Read> => {
    const octets = asBuffer(body)
    try {
      let submission = read(asked, octets)
      const repeatable = idempotent ?? named?.(submission) ?? null
      if (repeatable !== null) {
        submission = await withIdempotency(submission, repeatable, same(submission, octets))
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
  if (!('outcome' in read) || !('checked' in read.outcome)) return []
  const { content, raw } = read.outcome.checked.email
  const files = content.attachments.map((file) => file.content)
  return buffersBeneath(raw === null ? files : [raw, ...files])
}

export class Reading<Asked> {
  readonly #parts: Pick<HttpDeps, 'intake' | 'workers'>
  readonly #reader: Reader<Asked>
  readonly #job: Job<Order<Asked>, Read>

  constructor(parts: Pick<HttpDeps, 'intake' | 'workers'>, reader: Reader<Asked>) {
    this.#parts = parts
    this.#reader = reader
    this.#job = jobAt(reader.job)
  }

  /** Throws or rejects with what the request is refused for. */
  accept(principal: Principal, asked: Asked, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    if (body.length > SMALL_BODY) return this.#acceptElsewhere(principal, asked, body, idempotent)
    const { intake } = this.#parts
    const submission = this.#reader.read(asked, body)
    // A small template with many recipients is much work.
    if (submission.recipientVariables !== undefined) {
      return this.#acceptElsewhere(principal, asked, body, idempotent)
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
  ): Promise<Receipt> {
    const { intake, workers } = this.#parts
    const { buffer, byteLength } = body
    // What fills its buffer is nobody else's.
    const own = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > SMALL_BODY
    const order = { asked, body: own ? body : alone(body), idempotent, terms: intake.terms() }
    const read = await workers.run(this.#job, order, {
      company: principal.companyId,
      weight: byteLength,
      transfer: own ? [buffer] : [],
    })
    if ('reason' in read) throw new Fault(read.reason)
    return intake.accept(principal, read.outcome)
  }
}
