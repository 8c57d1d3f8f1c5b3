/** A form, read on the spot or in a worker. */
import { type Reader, readJob } from '../reading.ts'
import { type FormRequest, readFormRequest } from './request.ts'

export { buffersOf } from '../reading.ts'

export const formReader: Reader<FormRequest> = {
  job: new URL(import.meta.url),
  read: readFormRequest,
  // A client that repeats a form makes a new boundary: equality is that of what was understood.
  same: (submission) => submission,
}

export default readJob(formReader)
