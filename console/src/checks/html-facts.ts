/**
 * Extracts from HTML the facts that the checks need. Uses the tokenizer alone, which keeps no stack of
 * elements, so that the cost is linear for every nesting.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

interface FoundLink {
  url: string
  text: string
}

interface FoundImage {
  url: string
  /** `null` if the image has no alt attribute. */
  alt: string | null
  /** At most one pixel on each side, such as a tracking pixel. */
  tiny: boolean
}

export interface HtmlFacts {
  links: FoundLink[]
  images: FoundImage[]
  /** The beginning of the text, hidden or not: mail programs show it beside the subject. */
  text: string
  scripts: number
  forms: number
  embedded: number
  title: string
}

/** The most links, and the most images, that are kept. */
const MAX = 2_000
const LONGEST_TEXT = 2_000
const UNREAD = new Set(['script', 'style', 'title', 'template', 'noscript'])
const EMBEDDED = new Set(['iframe', 'object', 'embed', 'video', 'audio', 'applet', 'frame'])

export function htmlFacts(html: string): HtmlFacts {
  const facts: HtmlFacts = { links: [], images: [], text: '', scripts: 0, forms: 0, embedded: 0, title: '' }
  let tag = ''
  let name = ''
  let value = ''
  let attributes = new Map<string, string>()
  let inside: string | null = null
  let link: FoundLink | null = null
  const open = () => {
    if (UNREAD.has(tag)) inside = tag
    if (tag === 'script') facts.scripts++
    if (tag === 'form') facts.forms++
    if (EMBEDDED.has(tag)) facts.embedded++
    const href = attributes.get('href')
    if ((tag === 'a' || tag === 'area') && href !== undefined && facts.links.length < MAX) {
      link = { url: href.trim(), text: '' }
      facts.links.push(link)
    }
    const src = attributes.get('src')
    if (tag === 'img' && src !== undefined && facts.images.length < MAX) {
      const small = (side: string) => /^\s*[01](px)?\s*$/.test(attributes.get(side) ?? '')
      const tiny = small('width') && small('height')
      facts.images.push({ url: src.trim(), alt: attributes.get('alt') ?? null, tiny })
    }
    attributes = new Map()
  }
  const text = (data: string) => {
    if (inside === 'title') facts.title = (facts.title + data).slice(0, 200)
    if (inside !== null) return
    if (link !== null && link.text.length < 200) link.text = (link.text + data).slice(0, 200)
    if (facts.text.length < LONGEST_TEXT)
      facts.text = `${facts.text}${data} `.replace(/\s+/g, ' ').trimStart()
  }
  const ignore = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
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
    onattribend: () => {
      if (!attributes.has(name)) attributes.set(name, value)
    },
    onopentagend: open,
    onselfclosingtag: open,
    onclosetag: (start, end) => {
      const closed = html.slice(start, end).toLowerCase()
      if (closed === inside) inside = null
      if (closed === 'a') link = null
    },
    ontext: (start, end) => text(html.slice(start, end)),
    ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return facts
}
