/**
 * Untrusted HTML, written anew from its tokens, so that a browser reads exactly what was read here. A tokenizer and a
 * browser disagree where the kind of an element decides how its content is read (WHATWG HTML, 13.2.5: raw text, SVG,
 * MathML); none of these elements is written except `style`, whose content has no `<`. Everything else is written as
 * tags of letters, attributes in quotes, and text without markup, which every reader reads alike. Linear in its input
 * whatever the nesting: it keeps no stack of elements.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { decoded } from '../../mail/text/link.ts'

interface SafeHtmlOptions {
  /** The replacement for a link; null: the link is removed. */
  link(href: string): string | null
  /** The URL that replaces `cid:` and this id (RFC 2392); null: none does. */
  picture(id: string): string | null
}

/**
 * Elements that are not written, although elements inside them are. The raw text inside those of the first set is not
 * written either.
 */
const CONTENT_DROPPED = new Set([
  ...['script', 'iframe', 'noembed', 'noframes', 'plaintext', 'textarea', 'title', 'xmp'],
])
const DROPPED = new Set([
  ...CONTENT_DROPPED,
  // Browsers parse the content of these elements by other rules.
  ...['svg', 'math', 'noscript', 'template', 'select', 'frameset', 'frame'],
  // These elements load, navigate or send elsewhere. No policy covers DNS look-ups (`dns-prefetch`, `preconnect`).
  ...['applet', 'base', 'embed', 'form', 'link', 'meta', 'object', 'portal', 'fencedframe'],
])

/** Attributes of any element that load a document, navigate elsewhere, send something or run. */
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
  /** The name of the present tag; '' when it is not written. */
  let tag = ''
  let attributes: string[] = []
  let name = ''
  let value = ''
  /** Inside `style`: its text so far. */
  let style: string[] | null = null
  /** True while text belongs to an element that is not written. */
  let isDropped = false

  const endStyle = () => {
    // In a style sheet `<` can be escaped (CSS Syntax 4.3.7), so that the element ends here for a browser as well.
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
      // The tokenizer reads the rest as if the element were empty, a browser as its content.
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
      // The doctype selects the layout rules that old mail relies on.
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
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\0': '\ufffd',
}

function escaped(text: string): string {
  return text.replace(/[&<>"\0]/g, (character) => ENTITIES[character]!)
}
