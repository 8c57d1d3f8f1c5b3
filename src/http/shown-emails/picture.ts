/**
 * Pictures that a browser may show: raster images, identified by their octets. SVG is a document, and may contain
 * scripts.
 */

/** Types by the first octets (WHATWG MIME Sniffing 6.1). */
const SIGNATURES: readonly [type: string, at: number, octets: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBPVP'],
  ['image/bmp', 0, 'BM'],
  ['image/avif', 4, 'ftypavif'],
]

const TYPES = new Set([...SIGNATURES.map(([type]) => type), 'image/jpg'])

/**
 * True when the type of a file declares a picture. Only the octets of the file tell whether the file is one
 * (`pictureType`).
 */
export function isPicture(contentType: string): boolean {
  return TYPES.has(contentType.split(';', 1)[0]!.trim().toLowerCase())
}

/** The type of a picture, by its octets; null: a browser may not show the file. */
export function pictureType(octets: Uint8Array): string | null {
  const head = Buffer.from(octets.buffer, octets.byteOffset, Math.min(octets.byteLength, 32))
  const found = SIGNATURES.find(([, at, signature]) => {
    return head.toString('latin1', at, at + signature.length) === signature
  })
  return found?.[0] ?? null
}
