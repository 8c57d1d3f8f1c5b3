/**
 * The URLs to which TLS reports about a domain are posted (RFC 8460 3, `rua=https:`). A URL names the domain and is
 * signed, so that nobody can find out which domains there are. The installation's secret key makes them; nothing is
 * stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const TLS_REPORTS_PATH = '/tls-reports/'

const PURPOSE = 'links for TLS reports'
const ID = 16
const SIGNATURE = 16

export class ReportLinks {
  readonly #secrets: { derive(purpose: string): Buffer }
  #secret: Buffer | null = null

  constructor(secrets: { derive(purpose: string): Buffer }) {
    this.#secrets = secrets
  }

  /** `base`: the URL at which others reach the service. */
  url(base: string, domainId: string): string {
    const id = Buffer.from(domainId.replaceAll('-', ''), 'hex')
    return `${base}${TLS_REPORTS_PATH}${Buffer.concat([id, this.#sign(id)]).toString('base64url')}`
  }

  /** The id of the domain in the last part of such a URL; null: this installation did not make the URL. */
  domainIn(token: string): string | null {
    const octets = Buffer.from(token, 'base64url')
    if (octets.length !== ID + SIGNATURE) return null
    const id = octets.subarray(0, ID)
    if (!timingSafeEqual(octets.subarray(ID), this.#sign(id))) return null
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  #sign(id: Uint8Array): Buffer {
    this.#secret ??= this.#secrets.derive(PURPOSE)
    return createHmac('sha256', this.#secret).update(id).digest().subarray(0, SIGNATURE)
  }
}
