/** The text part of a message that was submitted with HTML only. */
import type { Block } from './block.ts'
import { TextConverter } from './converter.ts'
import { readHtml } from './html-reader.ts'

/** Characters of HTML that are read; the rest is left out, and the text says so. */
export const HTML_LIMIT = 1_000_000
/** The most characters of text that are written. */
export const TEXT_LIMIT = 2_000_000
/** Characters that line prefixes (`> `, indentation) may take beyond twice those of the HTML. */
const FREE_PREFIXES = 4096
const SHORTENED = '[The rest of this message is only in its HTML version.]'

/**
 * HTML as readable text: links with their addresses, lists, tables with their cells apart, no hidden parts. Lines end
 * with `\n`, paragraphs are one line each, without empty lines at either end; empty when the HTML shows nothing. There
 * are no control characters but line ends and tabs, and no lone surrogates.
 *
 * Lines are not wrapped: clients wrap to their own width, a fixed width would break addresses and look torn on a phone,
 * and the transfer encoding takes care of the limit of 998 octets per line (RFC 2045 6.7).
 *
 * Safe for any input: at most HTML_LIMIT characters are read, time, memory and the length of the text are linear in
 * them (see `htmlWeight`), and nothing throws.
 */
export function textFromHtml(html: string): string {
  let shortened = html.length > HTML_LIMIT
  const read = shortened ? html.slice(0, HTML_LIMIT) : html
  const converter = new TextConverter()
  readHtml(read, converter)
  const { lines, complete } = linesOf(converter.finish(), 2 * read.length + FREE_PREFIXES)
  if (!complete) shortened = true
  if (shortened) lines.push(...(lines.length > 0 ? ['', SHORTENED] : [SHORTENED]))
  return lines.join('\n').toWellFormed()
}

/** As many lines as TEXT_LIMIT allows, with prefixes until they have taken `prefixes` characters. */
function linesOf(block: Block, prefixes: number): { lines: string[]; complete: boolean } {
  const lines: string[] = []
  let room = TEXT_LIMIT
  const complete = block.writeTo((prefix, line) => {
    const before = prefixes < prefix.length ? '' : line === '' ? prefix.trimEnd() : prefix
    prefixes -= before.length
    room -= before.length + line.length + 1
    if (room < -1) {
      lines.push((before + line).slice(0, before.length + line.length + 1 + room))
      return false
    }
    lines.push(before + line)
    return true
  })
  return { lines, complete }
}
