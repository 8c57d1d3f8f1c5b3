/**
 * Logos of companies: small raster pictures, recognised by their octets. SVG is a document, and may contain scripts.
 * Pure.
 */

/**
 * The most octets of a logo, and the most pixels of its longer side. The page makes larger pictures smaller before it
 * sends them.
 */
export const MAX_OCTETS = 64 * 1024
export const MAX_PIXELS = 512

export interface CompanyLogo {
  type: string
  octets: Uint8Array
}

interface PictureSize {
  type: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
}

/** Null: the octets do not begin as a PNG, JPEG or WebP file. */
export function pictureSize(octets: Uint8Array): PictureSize | null {
  const bytes = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
  return pngSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
}

/** PNG 5.2 and 11.2.1: the first chunk is IHDR. */
function pngSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < 33 || bytes.toString('latin1', 0, 16) !== '\x89PNG\r\n\x1a\n\0\0\0\rIHDR') return null
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** RFC 9649 2.4 to 2.7: a lossy, lossless or extended file. */
function webpSize(bytes: Buffer): PictureSize | null {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to)
  if (bytes.length < 30 || text(0, 4) !== 'RIFF' || text(8, 12) !== 'WEBP') return null
  switch (text(12, 16)) {
    case 'VP8 ':
      if (text(23, 26) !== '\x9d\x01\x2a') return null
      return webp(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null
      const sizes = bytes.readUInt32LE(21)
      return webp((sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return webp(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return null
  }
}

const webp = (width: number, height: number): PictureSize => ({ type: 'image/webp', width, height })

/** ITU T.81 B.1.1.3 and B.2.2: segments up to the one that begins the frame. */
function jpegSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1]!
    // A marker may follow fill bytes.
    if (marker === 0xff) {
      at++
      continue
    }
    if (isFrame(marker)) {
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** SOF0 to SOF15, without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
