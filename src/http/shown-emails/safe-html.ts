/**
 * HTML of strangers, written out again from the tokens that were read of it, so that a browser reads what was read
 * here. A tokenizer and a browser disagree where the kind of an element decides how its content is read (WHATWG HTML
 * 13.2.5: raw text, SVG, MathML); none of these elements is written, but for `style`, whose content has no `<`. All
 * else is written as tags of letters, attributes in quotes, and text without markup, which every reader reads alike.
 * Linear whatever is nested in what: it keeps no stack of elements.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

export interface SafeHtmlOptions {
  /** Where a link leads instead; null: nowhere. */
  link(href: string): string | null
  /** The URL that replaces `cid:` and this id (RFC 2392); null: none does. */
  picture(id: string): string | null
}

/** Elements that are not written; those in between are. What is within raw text of the first is not written either. */
const CONTENT_DROPPED = new Set([
  ...['script', 'iframe', 'noembed', 'noframes', 'plaintext', 'textarea', 'title', 'xmp'],
])
const DROPPED = new Set([
  ...CONTENT_DROPPED,
  // Within these a browser reads by other rules.
  ...['svg', 'math', 'noscript', 'template', 'select', 'frameset', 'frame'],
  // They load, lead or send elsewhere. No policy covers what a name is looked up for (`dns-prefetch`, `preconnect`).
  ...['applet', 'base', 'embed', 'form', 'link', 'meta', 'object', 'portal', 'fencedframe'],
])

/** Attributes of any element that load a document, lead elsewhere, send something or run. */
const DROPPED_ATTRIBUTES = new Set([
  ...[
    'action',
    'attributionsrc',
    'download',
    'formaction',
    'formtarget',
    'href',
    'http-equiv',
    'imagesrcset',
  ],
  ...['manifest', 'ping', 'referrerpolicy', 'rel', 'srcdoc', 'target', 'xlink:href'],
])
/** Attributes that may name pictures. */
const WITH_PICTURES = new Set(['background', 'poster', 'src', 'srcset', 'style'])

const NAME = /^[a-z][a-z0-9]*(?:[:._-][a-z0-9]+)*$/
const DOCTYPE = /^doctype\s+html(?:\s+(?:public|system)(?:\s+"[\w\s./:+#-]*"){1,2})?\s*$/i
const PICTURE = /\bcid:([^"'\s<>()]{1,500})/gi

export function safeHtml(html: string, { link, picture }: SafeHtmlOptions): string {
  const pieces: string[] = []
  /** Of the tag that is being read; '' where it is not written. */
  let tag = ''
  let attributes: string[] = []
  let name = ''
  let value = ''
  /** Within `style`: what it says so far. */
  let style: string[] | null = null
  /** Text is that of an element that is not written. */
  let isDropped = false

  const endStyle = () => {
    // A style sheet can say `<` in another way (CSS Syntax 4.3.7), and so its end is where it was read.
    if (style !== null) pieces.push(withPictures(style.join('')).replaceAll('<', '\\3c '), '</style>')
    style = null
  }
  const withPictures = (text: string) =>
    text.replace(PICTURE, (whole, id: string) => picture(decoded(id)) ?? picture(id) ?? whole)
  const text = (given: string) => {
    if (style !== null) style.push(given.replaceAll('\0', '\ufffd'))
    else if (!isDropped) pieces.push(escaped(given))
  }
  const attribute = () => {
    if (tag === '' || !NAME.test(name) || name.startsWith('on')) return
    const isLink = (tag === 'a' || tag === 'area') && (name === 'href' || name === 'xlink:href')
    if (isLink) {
      const href = value.trim()
      const path = href.startsWith('#') ? href : link(href)
      if (path === null) return
      const apart = href.startsWith('#') ? '' : ' target="_blank" rel="noopener noreferrer"'
      attributes.push(` href="${escaped(path)}"${apart}`)
    } else if (!DROPPED_ATTRIBUTES.has(name)) {
      const shown = WITH_PICTURES.has(name) ? withPictures(value) : value
      attributes.push(` ${name}="${escaped(shown)}"`)
    }
  }
  const ignore = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      endStyle()
      const given = html.slice(start, end).toLowerCase()
      isDropped = CONTENT_DROPPED.has(given)
      tag = NAME.test(given) && !DROPPED.has(given) ? given : ''
      attributes = []
    },
    onattribname: (start, end) => {
      name = html.slice(start, end).toLowerCase()
      value = ''
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end)
    },
    onattribentity: (codePoint) => {
      value += String.fromCodePoint(codePoint)
    },
    onattribend: attribute,
    onopentagend: () => {
      if (tag !== '') pieces.push(`<${tag}${attributes.join('')}>`)
      if (tag === 'style') style = []
    },
    onselfclosingtag: () => {
      // What follows is read as if it had no content, and by a browser as its content.
      isDropped = false
      if (tag !== '' && tag !== 'style') pieces.push(`<${tag}${attributes.join('')}>`)
    },
    onclosetag: (start, end) => {
      isDropped = false
      const given = html.slice(start, end).toLowerCase()
      if (style !== null) endStyle()
      else if (NAME.test(given) && !DROPPED.has(given) && given !== 'style') pieces.push(`</${given}>`)
    },
    ontext: (start, end) => text(html.slice(start, end)),
    ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
    ondeclaration: (start, end) => {
      const given = html.slice(start, end)
      // It says by which rules old mail is laid out.
      if (pieces.length === 0 && DOCTYPE.test(given)) pieces.push(`<!${given}>`)
    },
    oncdata: ignore,
    oncomment: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  endStyle()
  return pieces.join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\0': '\ufffd' },
}

function escaped(text: string): string {
  return text.replace(/[&<>"\0]/g, (character) => ENTITIES[character]!)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
