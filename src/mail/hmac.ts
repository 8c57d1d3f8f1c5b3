/** Many short HMACs under one secret. */
import { hash } from 'node:crypto'

/** Octets of a block of SHA-256. */
const BLOCK = 64
const DIGEST = 32

/**
 * HMAC-SHA-256 (RFC 2104) under one secret. It is put together from two one-shot hashes, because `createHmac` takes ten
 * times as long as both.
 */
export class Hmac {
  readonly #outer: Buffer
  readonly #inner: Buffer

  /** @param secret 32 octets or more, used for nothing else */
  constructor(secret: Uint8Array) {
    if (secret.length < DIGEST) throw new RangeError('The secret of an HMAC has at least 32 octets')
    const key = secret.length > BLOCK ? hash('sha256', secret, 'buffer') : secret
    this.#inner = pad(key, 0x36)
    this.#outer = Buffer.concat([pad(key, 0x5c), Buffer.alloc(DIGEST)])
  }

  hex(text: Uint8Array): string {
    return hash('sha256', this.#outerOf(text), 'hex')
  }

  octets(text: Uint8Array): Buffer {
    return hash('sha256', this.#outerOf(text), 'buffer')
  }

  #outerOf(text: Uint8Array): Buffer {
    const inner = hash('sha256', Buffer.concat([this.#inner, text]), 'buffer')
    inner.copy(this.#outer, BLOCK)
    return this.#outer
  }
}

function pad(key: Uint8Array, octet: number): Buffer {
  const padded = Buffer.alloc(BLOCK, octet)
  for (const [index, part] of key.entries()) padded[index] = part ^ octet
  return padded
}
