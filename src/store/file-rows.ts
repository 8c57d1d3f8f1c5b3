/** Files as they are read back: rows in the shape in which the queries of both databases return them. */
import type { StoredFile } from '../email/stored-email.ts'
import type { Attachment } from '../mail/message.ts'

/** A file without its octets. */
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
