/** The boundaries of the multiparts that the service composes (RFC 2046 5.1.1). */
import { hash } from 'node:crypto'

/** Octets of a block of SHA-256. */
const BLOCK = 64
const DIGEST = 32
/** Hexadecimal digits: 128 bits, which cannot be guessed and occur in no text by chance. */
const DIGITS = 32

/**
 * Makes the boundaries of an email: HMAC-SHA-256 (RFC 2104) of its id under a secret of the installation. So the parts
 * need not be searched for the boundary: no sender can know it when the text is written, and a boundary learned from an
 * earlier message says nothing about the next. Every node, attempt and backup makes the same one.
 *
 * The HMAC is put together from two one-shot hashes, because `createHmac` takes ten times as long as both.
 */
export class Boundaries {
  readonly #outer: Buffer
  readonly #inner: Buffer

  /** @param secret 32 octets or more, used for nothing else */
  constructor(secret: Uint8Array) {
    if (secret.length < DIGEST) throw new RangeError('The secret of boundaries has at least 32 octets')
    const key = secret.length > BLOCK ? hash('sha256', secret, 'buffer') : secret
    this.#inner = pad(key, 0x36)
    this.#outer = Buffer.concat([pad(key, 0x5c), Buffer.alloc(DIGEST)])
  }

  /** The boundary for `compose`. `=_` occurs in no quoted-printable and no base64 text (RFC 2045 6.7). */
  boundaryOf(emailId: string): string {
    const inner = hash('sha256', Buffer.concat([this.#inner, Buffer.from(emailId)]), 'buffer')
    inner.copy(this.#outer, BLOCK)
    return `=_${hash('sha256', this.#outer, 'hex').slice(0, DIGITS)}`
  }
}

/** As long as every real boundary, for computing the size of a message. */
export const ANY_BOUNDARY = `=_${'0'.repeat(DIGITS)}`

function pad(key: Uint8Array, octet: number): Buffer {
  const padded = Buffer.alloc(BLOCK, octet)
  for (const [index, part] of key.entries()) padded[index] = part ^ octet
  return padded
}
