/** The far side of `BodyParser`: reads one large body in a worker thread. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type Reason, Refusal } from '../../intake/refusal.ts'
import type { Submission } from '../../intake/submission.ts'
import { Fault, type HttpReason } from '../fault.ts'
import { readSubmission } from './submission.ts'

/** Error classes do not cross threads, their reasons do. */
export type Parsed = { submission: Submission } | { refusal: Reason } | { fault: HttpReason }

/** Returns a `Parsed`; the octets of its files are handed over instead of copied. */
export default function parse(bytes: Uint8Array): unknown {
  const parsed = read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const buffers = 'submission' in parsed ? ownBuffers(parsed.submission) : []
  return move({ [transferableSymbol]: buffers, [valueSymbol]: parsed } as unknown as Parameters<
    typeof move
  >[0])
}

function read(bytes: Buffer): Parsed {
  try {
    return { submission: readSubmission(bytes) }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.reason }
    if (error instanceof Fault) return { fault: error.reason }
    throw error
  }
}

/** Those of the files that fill a buffer of their own: small ones share a pool, which must stay here. */
function ownBuffers({ attachments }: Submission): ArrayBuffer[] {
  return attachments.flatMap(({ content: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  )
}
