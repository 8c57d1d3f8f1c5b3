/** Reads a form, on the main thread or in a worker. */
import { type Reader, readJob } from '../../ingress/reading.ts'
import { type FormRequest, readFormRequest } from './request.ts'

export { buffersOf } from '../../ingress/reading.ts'

export const formReader: Reader<FormRequest> = {
  job: new URL(import.meta.url),
  read: readFormRequest,
  // A client that repeats a form generates a new boundary: two forms are equal when their submissions are.
  same: (submission) => submission,
}

export default readJob(formReader)
