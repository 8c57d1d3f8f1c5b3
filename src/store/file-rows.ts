/** Files as they are read back: rows in the shape that the queries of both databases give them. */
import type { StoredFile } from '../email/stored-email.ts'
import type { Attachment } from '../mail/message.ts'

/** Of a file without its octets. */
export interface NamedFileRow {
  position: number
  filename: string
  contentType: string
  disposition: string
  contentId: string | null
  size: number
}

export function storedFile({ disposition, ...file }: NamedFileRow): StoredFile {
  return { ...file, disposition: dispositionOf(disposition) }
}

export function dispositionOf(text: string): Attachment['disposition'] {
  return text === 'inline' ? 'inline' : 'attachment'
}
