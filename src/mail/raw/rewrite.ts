/** Making the parts of a ready message fit for what the next server takes, without touching the others. */
import { excerpt } from '../excerpt.ts'
import { decodeBody } from './decode.ts'
import { encodeContent } from './encode.ts'
import { fieldOf } from './header.ts'
import { hasPlainLines, hasSafeLines, isEightBit, RawError } from './lines.ts'
import { isIdentity, type RawPart, readStructure } from './structure.ts'

/** What octets have to be to pass. */
export interface Fitness {
  fits: (octets: Buffer) => boolean
  /** Where nothing may be changed this is enough. */
  passes: (octets: Buffer) => boolean
  /** How parts are labelled that are fit without being encoded; absent: as they were. */
  label?: string
  /** What a part does that does not pass, for errors. */
  need: string
}

/**
 * Lines without NUL (RFC 2045 2.8) that no server cuts; of what must not be changed, at most 998 octets (RFC 5321
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
 * Re-encodes the bodies of those parts that do not fit. Expects CRLF lines. The header of the message itself is only
 * changed in its Content-Transfer-Encoding. Throws RawError when a part that does not fit must not be changed.
 */
export function rewriteParts(octets: Buffer, fitness: Fitness): Buffer {
  // Most messages fit as a whole, and their parts need not be looked for.
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
    // RFC 1847 2.1: what is signed is not to be changed on the way, else the signature breaks.
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
  // What stands around the parts is shown to nobody (RFC 2046 5.1.1).
  if (!fitness.fits(octets.subarray(part.bodyStart, part.preambleEnd))) {
    // The delimiter needs a line end before it, which the empty line after the header then is.
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

/** No part may be labelled with more than the one around it (RFC 2045 6.4), so none keeps what no longer is. */
function relabel(part: RawPart, { label }: Fitness, edits: Edit[]): void {
  if (label !== undefined && (part.encoding === '8bit' || part.encoding === 'binary')) {
    edits.push(encodingEdit(part, label))
  }
}

function rewriteLeaf(octets: Buffer, part: RawPart, fitness: Fitness, edits: Edit[]): void {
  // It is the header alone that some servers would cut, and that cannot be mended by encoding the body.
  if (fitness.fits(octets.subarray(part.bodyStart, part.bodyEnd))) {
    relabel(part, fitness, edits)
    return
  }
  // These may not be encoded (RFC 2045 6.4, RFC 2046 5.2); a multipart without parts cannot be understood at all.
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
