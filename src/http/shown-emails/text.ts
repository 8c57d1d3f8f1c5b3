/**
 * The plain text of a message, for mail programs that show no HTML. In batch mail, the text of each recipient's copy
 * differs.
 */
import { beginningOf } from '../../mail/raw/beginning.ts'
import { decodeCharset } from '../../mail/raw/decode.ts'
import { withCrlfLines } from '../../mail/raw/lines.ts'
import { readStructure } from '../../mail/raw/structure.ts'
import { firstPart } from '../../mail/shown-text.ts'

/** The most octets that are shown. The download of the source has the rest. */
const MAX = 1024 * 1024

export interface TextExcerpt {
  /** Null: the message has none. */
  text: string | null
  /** The message has more text. */
  clipped: boolean
}

/** Throws RawError when the octets do not have the structure of a message. */
export function textOf(octets: Buffer): TextExcerpt {
  const lines = withCrlfLines(octets)
  const part = firstPart(readStructure(lines), 'text/plain')
  if (part === undefined) return { text: null, clipped: false }
  const { octets: body, clipped } = beginningOf(lines, part, MAX)
  const text = decodeCharset(body, part.parameters.get('charset'))
  return { text: text.replaceAll('\r\n', '\n'), clipped }
}
