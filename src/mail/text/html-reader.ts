/** HTML as a stream of tags and text: the tokenizer of htmlparser2 with the few attributes that matter here. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** Attributes by lower-case name; only those in `READ`. The first of two with one name counts, as in browsers. */
export type Attributes = ReadonlyMap<string, string>

export interface HtmlEvents {
  /** `name` is lower case; `selfClosing`: the tag ends in a slash, which HTML mostly ignores. */
  open(name: string, attributes: Attributes, selfClosing: boolean): void
  close(name: string): void
  text(data: string): void
}

const READ = new Set('style hidden href alt width height start value role border colspan rowspan'.split(' '))
export const NO_ATTRIBUTES: Attributes = new Map()

/**
 * Reads a document in one go. The tokenizer keeps no stack, so its cost is linear in the size of the document whatever
 * the nesting; the parser class around it is quadratic in the depth and is therefore not used.
 * Comments, and with them the conditional ones for Outlook, declarations and CDATA are dropped.
 */
export function readHtml(html: string, events: HtmlEvents): void {
  let tag = ''
  let attribute = ''
  let value = ''
  let attributes: Map<string, string> | undefined
  const endOfTag = (selfClosing: boolean) => {
    events.open(tag, attributes ?? NO_ATTRIBUTES, selfClosing)
    attributes = undefined
  }
  const ignore = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
    },
    onopentagend: () => endOfTag(false),
    onselfclosingtag: () => endOfTag(true),
    onclosetag: (start, end) => events.close(html.slice(start, end).toLowerCase()),
    onattribname: (start, end) => {
      attribute = html.slice(start, end).toLowerCase()
      value = ''
    },
    onattribdata: (start, end) => {
      if (READ.has(attribute)) value += html.slice(start, end)
    },
    onattribentity: (codePoint) => {
      if (READ.has(attribute)) value += String.fromCodePoint(codePoint)
    },
    onattribend: () => {
      if (!READ.has(attribute)) return
      attributes ??= new Map()
      if (!attributes.has(attribute)) attributes.set(attribute, value)
    },
    ontext: (start, end) => events.text(html.slice(start, end)),
    ontextentity: (codePoint) => events.text(String.fromCodePoint(codePoint)),
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

/** The whole number of an attribute, of at most six digits. */
export function whole(value: string | undefined): number | undefined {
  const number = Number.parseInt(value ?? '', 10)
  return Number.isNaN(number) || Math.abs(number) > 999_999 ? undefined : number
}

/** The columns or rows that a cell spans; 0 in the attribute means up to the end. */
export function span(value: string | undefined, most: number): number {
  const number = Number.parseInt(value ?? '1', 10)
  return number === 0 ? most : Math.min(Math.max(number || 1, 1), most)
}
