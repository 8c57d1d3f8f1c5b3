/** Reads a message, on this thread or in a worker. */
import { type Reader, readJob } from '../ingress/reading.ts'
import { asBuffer } from '../workers/job.ts'
import { type MessageEnvelope, namedKey, readMessage } from './message.ts'
import { sameMessage } from './same-message.ts'

export { buffersOf } from '../ingress/reading.ts'

export const messageReader: Reader<MessageEnvelope> = {
  job: new URL(import.meta.url),
  read: readMessage,
  named: namedKey,
  same: ({ arrival: _, ...submission }) => ({ ...submission, raw: sameMessage(asBuffer(submission.raw!)) }),
}

export default readJob(messageReader)
