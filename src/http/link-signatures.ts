/**
 * Signatures of links that work without a key until they expire. A link carries its expiry time and an HMAC. The
 * service stores nothing about it, and every node of the installation accepts it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Fault } from '../ingress/fault.ts'
import type { HttpDeps } from './deps.ts'

export class LinkSignatures {
  readonly #parts: Pick<HttpDeps, 'derive'>
  readonly #purpose: string
  readonly #again: string
  #secret: Buffer | null = null

  /** `purpose`: of the derived secret. `again`: the request that makes a new link. */
  constructor(parts: Pick<HttpDeps, 'derive'>, purpose: string, again: string) {
    this.#parts = parts
    this.#purpose = purpose
    this.#again = again
  }

  /** The query of a link to `subject`. `expires`: Unix seconds. */
  query(subject: string, expires: number): string {
    return `expires=${expires}&signature=${this.#sign(subject, expires)}`
  }

  /**
   * Returns the expiry time of a link, in Unix seconds. Throws a Fault for an invalid signature, or an expired link.
   */
  check(subject: string, { expires, signature }: Record<string, unknown>, now: number): number {
    const end = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : null
    if (end === null || typeof signature !== 'string') throw signatureFault('This link is incomplete')
    // Compares text, because base64 allows several last letters for the same bits (RFC 4648 3.5).
    const given = Buffer.from(signature)
    const expected = Buffer.from(this.#sign(subject, end))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw signatureFault('This link was not issued by this service, or it was altered')
    }
    if (end * 1000 < now)
      throw signatureFault(`This link has expired. Request a new one with \`${this.#again}\``)
    return end
  }

  #sign(subject: string, expires: number): string {
    this.#secret ??= this.#parts.derive(this.#purpose)
    return createHmac('sha256', this.#secret).update(`${subject} ${expires}`).digest('base64url')
  }
}

function signatureFault(detail: string): Fault {
  return new Fault({ code: 'link_refused', detail })
}
