/** The beginning of an email in one line, and whether it has files, for a row of a list. */
import type { EmailBeginning } from '../../email/stored-email.ts'
import { hasAttachments } from '../../mail/raw/files.ts'
import { RawError, withCrlfLines } from '../../mail/raw/lines.ts'
import { readStructure } from '../../mail/raw/structure.ts'
import { shownText, textOfMessage } from '../../mail/shown-text.ts'

/** Octets of an email that are read for its snippet: enough for the header of a ready message, or styles of HTML. */
export const BEGINNING = 16 * 1024
/** Characters of a snippet. */
const LENGTH = 160
/** Characters of a text that are looked at, some of which are spaces. */
const LOOKED_AT = 1_000

interface TextSnippet {
  id: string
  text: string
  /** It has files besides inline pictures. */
  attached: boolean
}

export function snippetOf({
  id,
  text,
  html,
  raw,
  rawOctets,
  files,
  filesKnown,
}: EmailBeginning): TextSnippet {
  if (raw !== null) {
    const shown = ofMessage(raw, raw.byteLength < rawOctets!)
    return { id, ...shown, ...(filesKnown && { attached: files > 0 }) }
  }
  return { id, text: oneLine(shownText({ text, html, raw })), attached: files > 0 }
}

function ofMessage(beginning: Uint8Array, clipped: boolean): Omit<TextSnippet, 'id'> {
  try {
    const lines = withCrlfLines(beginning)
    const root = readStructure(lines)
    return { text: oneLine(textOfMessage(lines, root)), attached: hasAttachments(root, clipped) }
  } catch (error) {
    if (error instanceof RawError) return { text: '', attached: false }
    throw error
  }
}

function oneLine(text: string): string {
  const line = text.slice(0, LOOKED_AT).replace(/\s+/g, ' ').trim()
  return line.slice(0, LENGTH).toWellFormed()
}
