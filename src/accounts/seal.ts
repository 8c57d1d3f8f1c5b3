/**
 * Encrypts secrets at rest: DKIM private keys, credentials of relays, secrets of webhooks and others are stored only
 * sealed.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { DkimIdentity } from './account.ts'

/** The first octet of sealed data. It identifies the scheme. */
const VERSION = 1
const NONCE = 12
const TAG = 16
const HEADER = 1 + NONCE + TAG

/** The sealed octets were altered, belong to another context, or were sealed with another key. */
export class SealError extends Error {
  override name = 'SealError'
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce for each sealing. `context` names the sealed thing and is
 * authenticated: sealed octets moved to another row cannot be opened there.
 */
export class Seal {
  readonly #key: Buffer

  /** @param key 32 octets, as `loadSecretKey` returns them. */
  constructor(key: Buffer) {
    if (key.length !== 32) throw new RangeError(`A sealing key has 32 octets; this one has ${key.length}.`)
    this.#key = key
  }

  /** Version, nonce, tag and ciphertext: 29 octets longer than `plain`. */
  seal(plain: Uint8Array, context: string): Uint8Array {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG })
    cipher.setAAD(Buffer.from(context))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
  }

  /**
   * 32 octets for a purpose other than sealing (HKDF-SHA-256, RFC 5869). The same key and purpose always give the same
   * octets, and these do not reveal the key.
   */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `postroad ${purpose}`, 32))
  }

  /** Throws SealError unless the octets come unaltered from `seal` with the same key and context. */
  open(sealed: Uint8Array, context: string): Buffer {
    const octets = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    if (octets.length < HEADER || octets[0] !== VERSION) {
      throw new SealError(`The value stored for "${context}" is not a sealed secret.`)
    }
    const decipher = createDecipheriv('aes-256-gcm', this.#key, octets.subarray(1, 1 + NONCE), {
      authTagLength: TAG,
    })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(octets.subarray(1 + NONCE, HEADER))
    try {
      return Buffer.concat([decipher.update(octets.subarray(HEADER)), decipher.final()])
    } catch (cause) {
      throw new SealError(
        `The secret stored for "${context}" cannot be unsealed: it was sealed with a different secret key, or altered.`,
        { cause },
      )
    }
  }
}

/** The purpose for which the secret of MIME boundaries is derived: see `Boundaries`. */
export const BOUNDARIES = 'mime boundaries'

/** The context under which a DKIM private key is sealed. */
export function dkimContext(identityId: string): string {
  return `dkim:${identityId}`
}

/** The private half of a domain's signing key, ready to sign with. Throws SealError. */
export function openPrivateKey(seal: Seal, identity: DkimIdentity): KeyObject {
  return createPrivateKey({
    key: seal.open(identity.sealedPrivateKey, dkimContext(identity.id)),
    format: 'der',
    type: 'pkcs8',
  })
}
