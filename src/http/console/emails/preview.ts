/**
 * The HTML of a message as a document that is shown in a frame. What it may do is for the policy it is served with to
 * say (`preview-routes.ts`); here its pictures are put into it, and its links lead over a page that asks first.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { decodeBody, decodeCharset } from '../../../mail/raw/decode.ts'
import { fieldOf } from '../../../mail/raw/header.ts'
import { RawError, withCrlfLines } from '../../../mail/raw/lines.ts'
import { type RawPart, readStructure } from '../../../mail/raw/structure.ts'
import { externalLink } from './external-link.ts'
import { pictureType } from './picture.ts'

/** Octets of HTML that are shown; mail programs clip long before. */
const MOST_HTML = 4 * 1024 * 1024
/** Octets of all pictures that are put into it, each as often as it is shown. */
const MOST_PICTURES = 12 * 1024 * 1024
/** Links of one message that lead anywhere. */
const MOST_LINKS = 5_000

export interface PreviewWanted {
  /** Signs links, so that the page which asks is of use to nobody else. */
  secret: Uint8Array
}

export interface Preview {
  /** Null: the message has none. */
  html: string | null
}

/** Throws RawError for what is not built like a message. */
export function previewOf(octets: Buffer, { secret }: PreviewWanted): Preview {
  const lines = withCrlfLines(octets)
  const pictures = new Map<string, RawPart>()
  let body: RawPart | undefined
  const waiting = [readStructure(lines)]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) {
      waiting.push(...part.children.toReversed())
      continue
    }
    if (part.type === 'text/html' && part.disposition !== 'attachment') body ??= part
    const id = /^\s*<([^<>]+)>/.exec(fieldOf(part.fields, 'content-id')?.value ?? '')?.[1]
    if (id !== undefined && !pictures.has(id)) pictures.set(id, part)
  }
  if (body === undefined) return { html: null }
  const text = decodeCharset(decodeBody(lines, body).subarray(0, MOST_HTML), body.parameters.get('charset'))
  return { html: withPictures(withSafeLinks(text, secret), pictures, lines) }
}

/** `cid:` (RFC 2392) becomes the picture itself: the frame has no right to ask for one. */
function withPictures(html: string, pictures: ReadonlyMap<string, RawPart>, lines: Buffer): string {
  if (pictures.size === 0) return html
  const urls = new Map<string, string | null>()
  let left = MOST_PICTURES
  return html.replace(/\bcid:([^"'\s<>()]{1,500})/gi, (whole, id: string) => {
    const part = pictures.get(decoded(id)) ?? pictures.get(id)
    if (part === undefined) return whole
    let url = urls.get(id)
    if (url === undefined) {
      url = dataUrl(lines, part)
      urls.set(id, url)
    }
    if (url === null || url.length > left) return whole
    left -= url.length
    return url
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
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

interface Attribute {
  name: string
  start: number
  /** Behind the closing quote. */
  end: number
  value: string
}

/** Attributes that would make a document go somewhere, or ask for something, beside those that are looked at. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
  a: ['target', 'ping', 'download', 'rel', 'referrerpolicy', 'attributionsrc'],
  area: ['target', 'ping', 'download', 'rel', 'referrerpolicy', 'attributionsrc'],
  base: ['href', 'target'],
  // No policy covers what a name is looked up for (`dns-prefetch`, `preconnect`).
  link: ['href', 'imagesrcset'],
  meta: ['http-equiv'],
  form: ['action', 'target'],
  button: ['formaction', 'formtarget'],
  input: ['formaction', 'formtarget'],
}

/**
 * Linear whatever is nested in what: it keeps no stack of elements. Nothing but the attributes concerned is touched.
 */
export function withSafeLinks(html: string, secret: Uint8Array): string {
  const pieces: string[] = []
  let written = 0
  let links = 0
  const replace = ({ start, end }: Attribute, text: string) => {
    pieces.push(html.slice(written, start), text)
    written = end
  }
  eachAttribute(html, (tag, attribute) => {
    const { name, value } = attribute
    if (DROPPED[tag]?.includes(name)) return replace(attribute, '')
    if ((tag !== 'a' && tag !== 'area') || (name !== 'href' && name !== 'xlink:href')) return
    if (value.trim().startsWith('#')) return
    const path = ++links > MOST_LINKS ? null : externalLink(value, secret)
    replace(attribute, path === null ? '' : `href="${path}" target="_blank" rel="noopener noreferrer"`)
  })
  pieces.push(html.slice(written))
  return pieces.join('')
}

function eachAttribute(html: string, found: (tag: string, attribute: Attribute) => void): void {
  let tag = ''
  let attribute: Attribute = { name: '', start: 0, end: 0, value: '' }
  const ignore = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
    },
    onattribname: (start, end) => {
      attribute = { name: html.slice(start, end).toLowerCase(), start, end, value: '' }
    },
    onattribdata: (start, end) => {
      attribute.value += html.slice(start, end)
    },
    onattribentity: (codePoint) => {
      attribute.value += String.fromCodePoint(codePoint)
    },
    onattribend: (quote, end) => {
      const quoted = html[end] === '"' || html[end] === "'"
      found(tag, { ...attribute, end: quote >= 2 && quoted ? end + 1 : end })
    },
    onopentagend: ignore,
    onselfclosingtag: ignore,
    onclosetag: ignore,
    ontext: ignore,
    ontextentity: ignore,
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
}
