/** A large body of `POST /emails`, in a worker. */
import type { Terms } from '../../intake/check.ts'
import { asBuffer } from '../../workers/job.ts'
import { type Idempotent, type Read, readAndCheck, withIdempotency } from '../reading.ts'
import { readSubmission } from './submission.ts'

export { buffersOf } from '../reading.ts'

export interface JsonOrder {
  body: Uint8Array
  idempotent: Idempotent | null
  terms: Terms
}

export default function readJson({ body, idempotent, terms }: JsonOrder): Promise<Read> {
  const octets = asBuffer(body)
  // Equality is that of the octets.
  return readAndCheck(() => withIdempotency(readSubmission(octets), idempotent, octets), terms)
}
