/** Makes the parts of a ready message fit for the next server, without touching the others. */
import { excerpt } from '../excerpt.ts'
import { decodeBody } from './decode.ts'
import { encodeContent } from './encode.ts'
import { fieldOf } from './header.ts'
import { hasPlainLines, hasSafeLines, isEightBit, RawError } from './lines.ts'
import { isIdentity, type RawPart, readStructure } from './structure.ts'

/** The requirements that octets must meet. */
interface Fitness {
  fits: (octets: Buffer) => boolean
  /** The lesser requirement for octets that must not be changed. */
  passes: (octets: Buffer) => boolean
  /** The encoding label for parts that need no encoding; absent: they keep their own label. */
  label?: string
  /** The fault of a part that does not pass, for errors. */
  need: string
}

/**
 * Lines without NUL (RFC 2045 2.8) that no server cuts; in parts that must not be changed, at most 998 octets (RFC 5321
 * 4.5.3.1.6).
 */
export const PLAIN_LINES: Fitness = {
  fits: hasSafeLines,
  passes: hasPlainLines,
  need: 'has lines over 998 octets or NUL octets',
}
/** RFC 2045 2.7. */
export const SEVEN_BIT: Fitness = {
  fits: (octets) => !isEightBit(octets) && hasSafeLines(octets),
  passes: (octets) => !isEightBit(octets) && hasPlainLines(octets),
  label: '7bit',
  need: 'has 8-bit octets, which the next server does not take',
}

interface Edit {
  start: number
  end: number
  octets: Buffer
}

/**
 * Re-encodes the bodies of the parts that are not fit. Expects CRLF lines. In the header of the message itself only
 * Content-Transfer-Encoding is changed. Throws RawError when a part that is not fit must not be changed.
 */
export function rewriteParts(octets: Buffer, fitness: Fitness): Buffer {
  // Most messages fit as a whole, so their parts need not be searched.
  if (fitness.fits(octets)) return octets
  const root = readStructure(octets)
  if (fitness.fits(octets.subarray(root.bodyStart))) return octets
  const edits: Edit[] = []
  const waiting: RawPart[] = [root]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part !== root && fitness.fits(octets.subarray(part.headerStart, part.bodyEnd))) {
      if (part.type === 'multipart/signed') continue
      relabel(part, fitness, edits)
      if (fitness.label !== undefined) waiting.push(...part.children)
      continue
    }
    if (part !== root && !fitness.passes(octets.subarray(part.headerStart, part.headerEnd))) {
      throw new RawError(`The header of a part of the message (${excerpt(part.type)}) ${fitness.need}.`)
    }
    // RFC 1847 2.1: signed parts must not be changed in transit, or the signature breaks.
    if (part.type === 'multipart/signed' && fitness.passes(octets.subarray(part.bodyStart, part.bodyEnd)))
      continue
    if (part.children.length > 0) {
      rewriteContainer(octets, part, fitness, edits)
      waiting.push(...part.children)
    } else rewriteLeaf(octets, part, fitness, edits)
  }
  return apply(octets, edits)
}

function rewriteContainer(octets: Buffer, part: RawPart, fitness: Fitness, edits: Edit[]): void {
  if (part.type === 'multipart/signed') {
    throw new RawError(
      `The message has a signed part that ${fitness.need}; changing it would break the signature. Sign it in 7-bit form.`,
    )
  }
  relabel(part, fitness, edits)
  if (!part.type.startsWith('multipart/')) return
  // The text around the parts is never shown (RFC 2046 5.1.1).
  if (!fitness.fits(octets.subarray(part.bodyStart, part.preambleEnd))) {
    // The delimiter needs a line end before it. Without the preamble, the empty line after the header is that line end.
    edits.push({
      start: part.bodyStart,
      end: Math.min(part.preambleEnd + 2, part.bodyEnd),
      octets: Buffer.alloc(0),
    })
  }
  if (!fitness.fits(octets.subarray(part.epilogueStart, part.bodyEnd))) {
    edits.push({ start: part.epilogueStart, end: part.bodyEnd, octets: Buffer.alloc(0) })
  }
}

/**
 * Corrects labels that are no longer true, because no part may have a label beyond that of the part around it (RFC 2045
 * 6.4).
 */
function relabel(part: RawPart, { label }: Fitness, edits: Edit[]): void {
  if (label !== undefined && (part.encoding === '8bit' || part.encoding === 'binary')) {
    edits.push(encodingEdit(part, label))
  }
}

function rewriteLeaf(octets: Buffer, part: RawPart, fitness: Fitness, edits: Edit[]): void {
  // Only the header has lines that some servers would cut, and encoding the body cannot mend that.
  if (fitness.fits(octets.subarray(part.bodyStart, part.bodyEnd))) {
    relabel(part, fitness, edits)
    return
  }
  // These types may not be encoded (RFC 2045 6.4, RFC 2046 5.2); a multipart without parts cannot be understood at all.
  const opaque =
    part.type.startsWith('multipart/') || (part.type.startsWith('message/') && isIdentity(part.encoding))
  if (opaque && fitness.passes(octets.subarray(part.bodyStart, part.bodyEnd))) return
  if (opaque)
    throw new RawError(`A part of the type ${excerpt(part.type)} ${fitness.need}; it cannot be encoded.`)
  const content = decodeBody(octets, part)
  const isText = part.type.startsWith('text/') && part.encoding !== 'base64'
  const { encoding, body } = encodeContent(content, isText)
  const last = part.bodyEnd === octets.length && body.subarray(-2).toString('latin1') !== '\r\n'
  edits.push(encodingEdit(part, encoding))
  edits.push({
    start: part.bodyStart,
    end: part.bodyEnd,
    octets: last ? Buffer.concat([body, Buffer.from('\r\n')]) : body,
  })
}

function encodingEdit(part: RawPart, encoding: string): Edit {
  const field = fieldOf(part.fields, 'content-transfer-encoding')
  return {
    start: field?.start ?? part.headerEnd,
    end: field?.end ?? part.headerEnd,
    octets: Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n`),
  }
}

function apply(octets: Buffer, edits: Edit[]): Buffer {
  edits.sort((a, b) => a.start - b.start)
  const pieces: Buffer[] = []
  let from = 0
  for (const edit of edits) {
    pieces.push(octets.subarray(from, edit.start), edit.octets)
    from = edit.end
  }
  pieces.push(octets.subarray(from))
  return Buffer.concat(pieces)
}
