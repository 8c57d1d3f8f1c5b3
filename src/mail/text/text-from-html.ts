/** The text part of a message that was given as HTML only. */
import { TextConverter } from './converter.ts'
import { readHtml } from './html-reader.ts'

/** Characters of HTML that are read; what is beyond is left out and said so. */
export const HTML_LIMIT = 1_000_000
/** Characters of text that are written: quotes within quotes can make text longer than its HTML. */
export const TEXT_LIMIT = 2_000_000
const SHORTENED = '[The rest of this message is only in its HTML version.]'

/**
 * HTML as text that a person likes to read: links with their addresses, lists, tables with their cells apart, no
 * hidden parts. Lines end with `\n`, paragraphs are one line each, and nothing is there at either end but text;
 * empty when the HTML shows nothing.
 *
 * Lines are not wrapped: clients wrap to the width they have, wrapping at a fixed one breaks addresses and looks torn
 * on a phone, and the limit of 998 octets a line is the business of the transfer encoding (RFC 2045 6.7).
 *
 * Safe for any input: at most HTML_LIMIT characters are read, time is linear in them, nothing recurses, and
 * nothing throws.
 */
export function textFromHtml(html: string): string {
  return convert(html).text
}

/** The same with the number of steps it took, which the tests hold against the size of the input. */
export function convert(html: string): { text: string; steps: number } {
  let shortened = html.length > HTML_LIMIT
  const converter = new TextConverter()
  readHtml(shortened ? html.slice(0, HTML_LIMIT) : html, converter)
  let text = converter.finish().join('\n').toWellFormed()
  if (text.length > TEXT_LIMIT) {
    text = text.slice(0, TEXT_LIMIT)
    shortened = true
  }
  if (shortened) text = `${text}\n\n${SHORTENED}`.trimStart()
  return { text, steps: converter.steps }
}
