/** Tokens in URLs that only this installation can make. Nothing is stored. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Derives 32 octets for one purpose from the installation's secret key. */
export interface Secrets {
  derive(purpose: string): Buffer
}

const SIGNATURE = 16

export class SignedTokens {
  readonly #secrets: Secrets
  readonly #purpose: string
  /** Derived when it is first needed. */
  #secret: Buffer | null = null

  constructor(secrets: Secrets, purpose: string) {
    this.#secrets = secrets
    this.#purpose = purpose
  }

  /** Letters, digits, `-` and `_`. */
  token(octets: Uint8Array): string {
    return Buffer.concat([octets, this.#sign(octets)]).toString('base64url')
  }

  /** The octets of a token; null: this installation did not make it. */
  octetsIn(token: string): Buffer | null {
    const all = Buffer.from(token, 'base64url')
    if (all.length <= SIGNATURE) return null
    const octets = all.subarray(0, -SIGNATURE)
    return timingSafeEqual(all.subarray(-SIGNATURE), this.#sign(octets)) ? octets : null
  }

  #sign(octets: Uint8Array): Buffer {
    this.#secret ??= this.#secrets.derive(this.#purpose)
    return createHmac('sha256', this.#secret).update(octets).digest().subarray(0, SIGNATURE)
  }
}
