/**
 * Links to the files of an email. They work without a key, for whoever has one and for a while: each carries the time
 * of its end and a signature of it.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { HttpDeps } from '../deps.ts'

/** Milliseconds. */
const VALID_FOR = 60 * 60 * 1_000

/** What the secret of these links is derived for. */
const PURPOSE = 'download links'

export interface Link {
  url: string
  /** Unix ms. */
  expiresAt: number
}

/** A file of an email: its place among those there are. */
export interface FilePlace {
  emailId: string
  position: number
}

export class DownloadLinks {
  readonly #parts: Pick<HttpDeps, 'derive'>
  #secret: Buffer | null = null

  constructor(parts: Pick<HttpDeps, 'derive'>) {
    this.#parts = parts
  }

  /** `base`: the public URL. `now`: Unix ms. */
  to(file: FilePlace, base: string, now: number): Link {
    const expires = Math.floor((now + VALID_FOR) / 1000)
    const attachment = attachmentId(file)
    const signature = this.#sign(attachment, expires).toString('base64url')
    const path = `/emails/${file.emailId}/attachments/${attachment}/download`
    const url = `${base}${path}?expires=${expires}&signature=${signature}`
    return { url, expiresAt: expires * 1000 }
  }

  /** Whether a link to the attachment of this id was made here with this end, which may have come. */
  isGenuine(attachment: string, expires: number, signature: string): boolean {
    const given = Buffer.from(signature, 'base64url')
    const expected = this.#sign(attachment, expires)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** `attachment`: an id, which belongs to one file of one email. */
  #sign(attachment: string, expires: number): Buffer {
    // The same on every node: each knows the links of all.
    this.#secret ??= this.#parts.derive(PURPOSE)
    return createHmac('sha256', this.#secret).update(`${attachment} ${expires}`).digest()
  }
}

/** A UUID (RFC 9562 5.8) made of the place: it is kept nowhere, and the same each time. */
export function attachmentId({ emailId, position }: FilePlace): string {
  const octets = hash('sha256', `attachment ${emailId} ${position}`, 'buffer').subarray(0, 16)
  octets[6] = (octets[6]! & 0x0f) | 0x80
  octets[8] = (octets[8]! & 0x3f) | 0x80
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
