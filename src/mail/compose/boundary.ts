/** The boundaries of the multiparts that the service composes (RFC 2046 5.1.1). */
import { Hmac } from '../hmac.ts'

/** Hexadecimal digits: 128 bits, which cannot be guessed and occur in no text by chance. */
const DIGITS = 32

/**
 * Makes the boundaries of an email: HMAC-SHA-256 (RFC 2104) of its id under a secret of the installation. So the parts
 * need not be searched for the boundary: no sender can know it when the text is written, and a boundary learned from an
 * earlier message says nothing about the next. Every node, attempt and backup makes the same one.
 */
export class Boundaries {
  readonly #hmac: Hmac

  /** @param secret 32 octets or more, used for nothing else */
  constructor(secret: Uint8Array) {
    this.#hmac = new Hmac(secret)
  }

  /** The boundary for `compose`. `=_` occurs in no quoted-printable and no base64 text (RFC 2045 6.7). */
  boundaryOf(emailId: string): string {
    return `=_${this.#hmac.hex(Buffer.from(emailId)).slice(0, DIGITS)}`
  }
}

/** As long as every real boundary, for computing the size of a message. */
export const ANY_BOUNDARY = `=_${'0'.repeat(DIGITS)}`
