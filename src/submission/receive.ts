/** Receives the message of a DATA command, once room for it is reserved. */
import type { ArrivingMessage } from './body.ts'
import type { Channel } from './channel.ts'
import { DataOctets } from './data.ts'
import { CommandRefusal, reply, type SubmissionReply } from './reply.ts'

/** Octets over the limit that are read and dropped, so that the client reaches its end and gets the reply. */
export const DISCARDED_OCTETS = 16 * 1024 * 1024

interface ReceiveLimits {
  /** Ms until its final dot. */
  within: number
  /** A message above `most` octets is refused with this reply, which ends the session. */
  limit: { most: number; refusal: SubmissionReply }
}

export interface ArrivedMessage {
  octets: Buffer
  /** Some of its lines end in LF alone. */
  bareLf: boolean
}

/** Receives the message. Rejects with the error it is refused with, or with one that ends the session. */
export async function receive(
  channel: Channel,
  body: ArrivingMessage,
  { within, limit }: ReceiveLimits,
): Promise<ArrivedMessage> {
  channel.say(reply(354, null, 'Send the message, and end it with a dot on a line by itself'))
  await channel.flush()
  const octets = new DataOctets()
  await channel.pieces((piece) => {
    const taken = octets.readPiece(piece, (part) => body.add(part))
    // Not if the next command may be in the same memory.
    if (taken === null) body.dropRefused()
    if (body.length > limit.most) throw new CommandRefusal(limit.refusal, { last: true })
    return taken
  }, within)
  return { octets: body.whole(), bareLf: octets.bareLf }
}
