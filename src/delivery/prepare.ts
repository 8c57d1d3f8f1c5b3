/** Turns a delivery into the bytes that leave: composed, adapted to the next hop, signed. */
import { substitute } from '../mail/batch/substitute.ts'
import { substituteRaw } from '../mail/batch/substitute-raw.ts'
import { withTexts } from '../mail/body.ts'
import type { Boundaries } from '../mail/compose/boundary.ts'
import { compose } from '../mail/compose/compose.ts'
import { signMessage } from '../mail/dkim/dkim.ts'
import { type Signer, signInPool } from '../mail/dkim/signature.ts'
import { isEightBit, RawError, toSevenBit } from '../mail/raw/raw.ts'
import { inComposingTurn } from './composing-turns.ts'
import type { Delivery } from './delivery.ts'
import type { MessageCapabilities, OutgoingMessage } from './smtp/transaction.ts'

/**
 * Returns the message for these capabilities, with the same bytes each time. Rejects when it cannot be composed or
 * signed.
 */
export type PreparedMessage = (capabilities: MessageCapabilities) => Promise<OutgoingMessage>

const CRLF = Buffer.from('\r\n')
const HEADER_END = Buffer.from('\r\n\r\n')

interface MessageParts {
  /** Includes its last CRLF. */
  header: Buffer
  body: Buffer
  /** The body is known to be its own canonical form (RFC 6376 3.4.4). */
  relaxed?: boolean
}

/** The parts of a delivery that its message is made from. */
export interface Composable extends Pick<Delivery, 'message' | 'signing'> {
  email: { id: string; companyId: string }
}

/** The settings that every message is prepared with. */
export interface Preparation {
  boundaries: Pick<Boundaries, 'boundaryOf'>
  /** Makes the signatures; without it they are made in the thread pool. */
  signer?: Signer | undefined
}

/** Prepares a message on the first call of the result. Each variant is made once. */
export function prepareMessage(
  { email, message, signing }: Composable,
  { boundaries, signer = signInPool }: Preparation,
): PreparedMessage {
  const sign = async (
    { header, body, relaxed = false }: MessageParts,
    date: number,
  ): Promise<Uint8Array[]> => {
    // RFC 6376 3.5: t= is the time of the signature. The message's own date instead keeps the bytes the same at every
    // attempt.
    const signature = await signMessage(header, body, signing, {
      at: Math.floor(date / 1000),
      signer,
      relaxed,
    })
    const head = Buffer.concat([signature, header, CRLF])
    return body.length > 0 ? [head, body] : [head]
  }
  if (message.kind === 'parts') {
    const only = once(async () => {
      const composed = await inComposingTurn(
        email.companyId,
        () => {
          const { addressee } = message
          const content = withTexts(message.content)
          const own = addressee ? substitute(content, addressee) : content
          return compose(own, boundaries.boundaryOf(email.id))
        },
        ({ body }) => body.length,
      )
      const chunks = await sign(composed, message.content.date)
      // Bodies are composed in encodings that pass everywhere (RFC 2045 6), so one variant serves all servers.
      return outgoingMessage(chunks, composed.needsSmtpUtf8, composed.needsSmtpUtf8)
    })
    return () => only()
  }
  const filled = once(async () => {
    const { raw, addressee } = message
    if (addressee !== null) {
      return inComposingTurn(
        email.companyId,
        () => substituteRaw(raw, addressee),
        ({ length }) => length,
      )
    }
    return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  })
  const variant = async (bytes: Buffer) => {
    const parts = split(bytes)
    const smtpUtf8 = isEightBit(parts.header)
    return outgoingMessage(await sign(parts, message.date), smtpUtf8 || isEightBit(parts.body), smtpUtf8)
  }
  const asIs = once(async () => variant(await filled()))
  // RFC 6152 3: a message that is not 7-bit clean is re-encoded for a server without 8BITMIME; before signing, because
  // re-encoding changes the body. A part that must not be re-encoded (a signed one, say) stays as it is, and the
  // session refuses it in the server's name.
  const sevenBit = once(async () => {
    try {
      return variant(toSevenBit(await filled()))
    } catch (error) {
      if (error instanceof RawError) return asIs()
      throw error
    }
  })
  return async ({ eightBitMime }) => (eightBitMime || !isEightBit(await filled()) ? asIs() : sevenBit())
}

function outgoingMessage(chunks: Uint8Array[], eightBit: boolean, smtpUtf8: boolean): OutgoingMessage {
  return { chunks, size: chunks.reduce((sum, { length }) => sum + length, 0), eightBit, smtpUtf8 }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= (async () => make())()
    return made
  }
}

/** At the first empty line (RFC 5322 2.1); a message without one is all header. */
function split(raw: Buffer): MessageParts {
  if (raw.subarray(0, 2).equals(CRLF)) return { header: Buffer.alloc(0), body: raw.subarray(2) }
  const at = raw.indexOf(HEADER_END)
  if (at >= 0) return { header: raw.subarray(0, at + 2), body: raw.subarray(at + 4) }
  const ended = raw.subarray(-2).equals(CRLF)
  return { header: ended ? raw : Buffer.concat([raw, CRLF]), body: Buffer.alloc(0) }
}
