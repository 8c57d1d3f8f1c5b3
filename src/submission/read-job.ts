/** A message that is not small, in a worker. */
import { type Read, readAndCheck } from '../http/reading.ts'
import { type MessageOrder, readMessage } from './message.ts'

export { buffersOf } from '../http/reading.ts'

export default function readSubmitted({ terms, ...handed }: MessageOrder): Promise<Read> {
  return readAndCheck(() => readMessage(handed), terms)
}
