/** The body of `POST /emails`, read on the spot or in a worker. */
import { type Reader, readJob } from '../reading.ts'
import { readSubmission } from './submission.ts'

export { buffersOf } from '../reading.ts'

export const jsonReader: Reader<null> = {
  job: new URL(import.meta.url),
  read: (_asked, body) => readSubmission(body),
  // Equality is that of the octets.
  same: (_submission, body) => body,
}

export default readJob(jsonReader)
