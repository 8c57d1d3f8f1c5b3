/** Links to the files of an email. */
import { hash } from 'node:crypto'
import { uuidAt } from '../../mail/uuid.ts'
import type { HttpDeps } from '../deps.ts'
import { LinkSignatures } from '../link-signatures.ts'

/** Milliseconds. */
const VALID_FOR = 60 * 60 * 1_000

/** The purpose that the secret of these links is derived for. */
const PURPOSE = 'download links'

export interface Link {
  url: string
  /** Unix ms. */
  expiresAt: number
}

/** A file of an email, by its position among the files. */
interface FilePlace {
  emailId: string
  position: number
}

export class DownloadLinks {
  readonly #signatures: LinkSignatures

  constructor(parts: Pick<HttpDeps, 'derive'>) {
    this.#signatures = new LinkSignatures(parts, PURPOSE, 'GET /emails/{id}/attachments')
  }

  /** `base`: the public URL. `now`: Unix ms. */
  to(file: FilePlace, base: string, now: number): Link {
    const expires = Math.floor((now + VALID_FOR) / 1000)
    const attachment = attachmentId(file)
    const path = `/emails/${file.emailId}/attachments/${attachment}/download`
    const url = `${base}${path}?${this.#signatures.query(attachment, expires)}`
    return { url, expiresAt: expires * 1000 }
  }

  /** Throws a Fault unless the query is a valid signature for the attachment of this id. */
  check(attachment: string, query: Record<string, unknown>, now: number): void {
    this.#signatures.check(attachment, query, now)
  }
}

/** A UUID (RFC 9562 5.8) derived from the position: it is not stored, and the same each time. */
export function attachmentId({ emailId, position }: FilePlace): string {
  const octets = hash('sha256', `attachment ${emailId} ${position}`, 'buffer').subarray(0, 16)
  octets[6] = (octets[6]! & 0x0f) | 0x80
  octets[8] = (octets[8]! & 0x3f) | 0x80
  return uuidAt(octets)
}
