/** Reads a recipient's copy of a message, its structure or its content. The message is untrusted. */
import { RawError } from '../../mail/raw/lines.ts'
import { asBuffer, buffersBeneath } from '../../workers/job.ts'
import { type Head, headOf } from './head.ts'
import { type Preview, type PreviewOptions, previewOf } from './preview.ts'
import { type Structure, structureIn } from './structure.ts'
import { type TextExcerpt, textOf } from './text.ts'

export interface ReadCopyJobInput {
  raw: Uint8Array
  wanted: { kind: 'head' } | { kind: 'structure' } | { kind: 'text' } | ({ kind: 'preview' } & PreviewOptions)
}

export interface ReadCopyJobResult {
  head?: Head
  structure?: Structure
  preview?: Preview
  text?: TextExcerpt
  /** The reason why it could not be read. */
  trouble?: string
}

export default function readCopy({ raw, wanted }: ReadCopyJobInput): ReadCopyJobResult {
  const octets = asBuffer(raw)
  try {
    if (wanted.kind === 'head') return { head: headOf(octets) }
    if (wanted.kind === 'structure') return { structure: structureIn(octets) }
    if (wanted.kind === 'text') return { text: textOf(octets) }
    return { preview: previewOf(octets, wanted) }
  } catch (error) {
    if (error instanceof RawError) return { trouble: error.message }
    throw error
  }
}

export function buffersOf({ preview }: ReadCopyJobResult): ArrayBuffer[] {
  return preview?.html ? buffersBeneath([preview.html]) : []
}
