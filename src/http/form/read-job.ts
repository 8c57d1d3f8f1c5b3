/** A large form, in a worker. */
import type { Terms } from '../../intake/check.ts'
import { asBuffer } from '../../workers/job.ts'
import { type Idempotent, type Read, readAndCheck, withIdempotency } from '../reading.ts'
import { type FormRequest, readFormRequest } from './request.ts'

export { buffersOf } from '../reading.ts'

export interface FormOrder {
  request: FormRequest
  body: Uint8Array
  idempotent: Idempotent | null
  terms: Terms
}

export default function readForm({ request, body, idempotent, terms }: FormOrder): Promise<Read> {
  return readAndCheck(() => {
    const submission = readFormRequest(request, asBuffer(body))
    // A client that repeats a form makes a new boundary: equality is that of what was understood.
    return withIdempotency(submission, idempotent, submission)
  }, terms)
}
