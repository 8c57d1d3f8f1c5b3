/** Reads the body of `POST /emails`, on the main thread or in a worker. */
import { type Reader, readJob } from '../../ingress/reading.ts'
import { readSubmission } from './submission.ts'

export { buffersOf } from '../../ingress/reading.ts'

export const jsonReader: Reader<null> = {
  job: new URL(import.meta.url),
  read: (_asked, body) => readSubmission(body),
  // Two requests are equal when their octets are.
  same: (_submission, body) => body,
}

export default readJob(jsonReader)
