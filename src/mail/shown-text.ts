/** The text that a reader of a message sees, from the beginning of its bodies or of a ready message. */
import { beginningOf } from './raw/beginning.ts'
import { decodeCharset } from './raw/decode.ts'
import { RawError, withCrlfLines } from './raw/lines.ts'
import { type RawPart, readStructure } from './raw/structure.ts'
import { textFromHtml } from './text/text-from-html.ts'

interface BodyBeginning {
  text: string | null
  html: string | null
  /** A ready message. */
  raw: Uint8Array | null
}

/** Empty when there is none, or when a ready message cannot be read. */
export function shownText({ text, html, raw }: BodyBeginning): string {
  if (raw === null) return text ?? (html === null ? '' : textFromHtml(html))
  try {
    const lines = withCrlfLines(raw)
    return textOfMessage(lines, readStructure(lines))
  } catch (error) {
    if (error instanceof RawError) return ''
    throw error
  }
}

/** Throws RawError for an unknown encoding. */
export function textOfMessage(lines: Buffer, root: RawPart): string {
  const read = (part: RawPart) =>
    decodeCharset(beginningOf(lines, part, lines.length).octets, part.parameters.get('charset'))
  const plain = firstPart(root, 'text/plain')
  if (plain !== undefined) return read(plain)
  const html = firstPart(root, 'text/html')
  return html === undefined ? '' : textFromHtml(read(html))
}

/** Finds the first part of a type that is not an attachment, in reading order, at any depth of nesting. */
export function firstPart(root: RawPart, type: string): RawPart | undefined {
  const waiting = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) waiting.push(...part.children.toReversed())
    else if (part.type === type && part.disposition !== 'attachment') return part
  }
  return undefined
}
