/**
 * The HTML of a message as a document for a frame. The frame's policy (`frame.ts`) restricts it; here its pictures are
 * embedded, and its links are redirected to a page that asks for confirmation or, in a shared email, keep their own
 * addresses.
 */
import { beginningOf } from '../../mail/raw/beginning.ts'
import { decodeBody, decodeCharset } from '../../mail/raw/decode.ts'
import { fieldValue } from '../../mail/raw/header.ts'
import { RawError, withCrlfLines } from '../../mail/raw/lines.ts'
import { type RawPart, readStructure } from '../../mail/raw/structure.ts'
import { externalLink, followable, type LinkSigner } from './external-link.ts'
import { pictureType } from './picture.ts'
import { safeHtml } from './safe-html.ts'
import { withoutUnsubscribeLinks } from './unsubscribe-links.ts'

/** Octets of HTML that are shown; mail programs clip long before. */
const MAX_HTML = 4 * 1024 * 1024
/** Octets of all embedded pictures, counted each time that they are shown. */
const MAX_PICTURES = 12 * 1024 * 1024
/** Links of one message that work. */
const MAX_LINKS = 5_000

export interface PreviewOptions {
  /** Signs links, so that the confirmation page works for this person only. Null: links keep their own addresses. */
  signer: LinkSigner | null
}

export interface Preview {
  /** In UTF-8; null: the message has none. */
  html: Uint8Array | null
}

/** Throws RawError when the octets do not have the structure of a message. */
export function previewOf(message: Buffer, { signer }: PreviewOptions): Preview {
  const lines = withCrlfLines(message)
  const pictures = new Map<string, RawPart>()
  let body: RawPart | undefined
  const waiting = [readStructure(lines)]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) {
      waiting.push(...part.children.toReversed())
      continue
    }
    if (part.type === 'text/html' && part.disposition !== 'attachment') body ??= part
    const id = /^\s*<([^<>]+)>/.exec(fieldValue(part.fields, 'content-id'))?.[1]
    if (id !== undefined && !pictures.has(id)) pictures.set(id, part)
  }
  if (body === undefined) return { html: null }
  const { octets } = beginningOf(lines, body, MAX_HTML)
  const decoded = decodeCharset(octets, body.parameters.get('charset'))
  const text = signer === null ? withoutUnsubscribeLinks(decoded) : decoded
  const lead = (href: string) => (signer === null ? followable(href) : externalLink(href, signer))
  let links = 0
  const html = safeHtml(text, {
    link: (href) => (++links > MAX_LINKS ? null : lead(href)),
    picture: pictureUrls(pictures, lines),
  })
  return { html: Buffer.from(html) }
}

/** A `cid:` URL becomes the picture itself: the frame may not load one. Null when there is none, or no room. */
function pictureUrls(pictures: ReadonlyMap<string, RawPart>, lines: Buffer): (id: string) => string | null {
  const urls = new Map<string, string | null>()
  let left = MAX_PICTURES
  return (id) => {
    const part = pictures.get(id)
    if (part === undefined) return null
    let url = urls.get(id)
    if (url === undefined) {
      url = dataUrl(lines, part)
      urls.set(id, url)
    }
    if (url === null || url.length > left) return null
    left -= url.length
    return url
  }
}

function dataUrl(lines: Buffer, part: RawPart): string | null {
  try {
    const octets = decodeBody(lines, part)
    const type = pictureType(octets)
    return type === null ? null : `data:${type};base64,${octets.toString('base64')}`
  } catch (error) {
    if (error instanceof RawError) return null
    throw error
  }
}
