/**
 * A worker's task for a large message: it composes, fills in, signs and dot-stuffs the message, so that the session
 * only has to write it out.
 */
import { signHere } from '../mail/dkim/signature.ts'
import { buffersBeneath } from '../workers/job.ts'
import { type Composable, prepareMessage } from './prepare.ts'
import { AmbiguousLineEnd, dotStuff } from './smtp/dot-stuffing.ts'
import type { MessageCapabilities, OutgoingMessage } from './smtp/transaction.ts'

export interface ComposeJobInput extends Composable {
  boundary: string
  capabilities: MessageCapabilities
}

export default async function composeOutgoing({
  boundary,
  capabilities,
  ...delivery
}: ComposeJobInput): Promise<OutgoingMessage> {
  const outgoing = await prepareMessage(delivery, {
    boundaries: { boundaryOf: () => boundary },
    signer: signHere,
  })(capabilities)
  if (capabilities.unstuffed) return outgoing
  try {
    return { ...outgoing, stuffed: dotStuff(outgoing.chunks) }
  } catch (error) {
    // The session that would send the message finds the same error, and reports it in the server's name.
    if (error instanceof AmbiguousLineEnd) return outgoing
    throw error
  }
}

export function buffersOf({ chunks, stuffed }: OutgoingMessage): ArrayBuffer[] {
  return buffersBeneath([...chunks, ...(stuffed?.blocks ?? [])])
}
