/** Makes a picture small enough for a logo, in the browser. Its metadata, such as a place, is left out by that. */

/** Pixels of the longer side, and octets that the service takes. */
const MAX_PIXELS = 256
const MAX_OCTETS = 64 * 1024
export const PICTURE_TYPES = 'image/png,image/jpeg,image/webp'

/** In base64. Throws an error for people when the file is not a picture. */
export async function smallPicture(file: File): Promise<string> {
  if (!PICTURE_TYPES.split(',').includes(file.type)) throw notAPicture()
  const picture = await createImageBitmap(file).catch(() => {
    throw notAPicture()
  })
  try {
    for (const [pixels, type] of [
      [MAX_PIXELS, 'image/png'],
      [MAX_PIXELS, 'image/webp'],
      // Every picture of this size fits.
      [MAX_PIXELS / 2, 'image/png'],
    ] as const) {
      const octets = await encoded(picture, pixels, type)
      if (octets.byteLength <= MAX_OCTETS) return base64(octets)
    }
  } finally {
    picture.close()
  }
  throw new Error('The picture cannot be made small enough.')
}

function notAPicture(): Error {
  return new Error('Choose a PNG, JPEG or WebP file.')
}

async function encoded(picture: ImageBitmap, pixels: number, type: string): Promise<Uint8Array> {
  const scale = Math.min(1, pixels / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9))
  if (blob === null) throw notAPicture()
  return new Uint8Array(await blob.arrayBuffer())
}

function base64(octets: Uint8Array): string {
  return btoa(Array.from(octets, (octet) => String.fromCharCode(octet)).join(''))
}
