/**
 * A worker's task: it composes, fills in and signs one recipient's copy of a large message, for a reader of the email.
 */
import { signHere } from '../mail/dkim/signature.ts'
import { buffersBeneath } from '../workers/job.ts'
import { type Composable, prepareMessage } from './prepare.ts'

export interface CopyJobInput extends Composable {
  boundary: string
}

export default async function composeCopy({ boundary, ...composable }: CopyJobInput): Promise<Uint8Array> {
  const prepared = prepareMessage(composable, {
    boundaries: { boundaryOf: () => boundary },
    signer: signHere,
  })
  const { chunks } = await prepared({ eightBitMime: true, smtpUtf8: true })
  return Buffer.concat(chunks)
}

export function buffersOf(message: Uint8Array): ArrayBuffer[] {
  return buffersBeneath([message])
}
