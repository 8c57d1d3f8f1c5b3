/** Display names (RFC 5322 3.2.5 phrase): parsed from a sender's text, and formatted again. */
import { decodeWords, encodeWords } from '../header/encoded-word.ts'
import { describe } from './idn.ts'
import type { Mailbox } from './mailbox.ts'
import { closeComment, closeQuote, fail, isSpace, quote, trimEnd, unescapeQuoted } from './text.ts'

/** One line that `parseMailbox` reads back to the same name and address; non-ASCII is left as it is (RFC 6532 3.2). */
export function formatMailbox(mailbox: Pick<Mailbox, 'name' | 'address'>): string {
  if (mailbox.name === '') return mailbox.address
  // Otherwise it would be decoded when it is read again.
  if (mailbox.name.includes('=?')) return `${encodeWords(mailbox.name)} <${mailbox.address}>`
  return `${needsQuotes(mailbox.name) ? quote(mailbox.name) : mailbox.name} <${mailbox.address}>`
}

/** Only quotes keep spaces at the ends, including spaces beyond ASCII. */
function needsQuotes(name: string): boolean {
  return !PLAIN_PHRASE.test(name) || isSpace(name[0]) || isSpace(name.at(-1))
}

/**
 * Atoms (RFC 5322 3.2.3, with non-ASCII as in RFC 6532 3.2) separated by single spaces: a display name that needs no
 * quotes.
 */
const PLAIN_PHRASE =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*$/u

/**
 * The display name: words with single spaces between them. Characters that RFC 5322 wants quoted are taken as they are.
 * A comment stays part of the name (`Jane (Sales) <jane@x.test>`): a sender who writes it wants it to be read.
 */
export function readPhrase(text: string, from: number, end: number): string {
  let name = ''
  /** Up to here the space was quoted, and is kept. */
  let meant = 0
  let at = from
  while (at < end) {
    let next = at
    while (text[next] === ' ' || text[next] === '\t') next++
    if (next >= end) break
    if (next > at && at > from) name += ' '
    let stop = next
    if (text[next] === '"') {
      stop = closeQuote(text, next, from) + 1
      name += unescapeQuoted(text.slice(next + 1, stop - 1))
      meant = name.length
    } else if (text[next] === '(') {
      stop = closeComment(text, next, from) + 1
      name += unescapeQuoted(text.slice(next, stop))
    } else {
      while (stop < end && !' \t"('.includes(text[stop]!)) stop++
      name += text.slice(next, stop)
    }
    at = stop
  }
  return trimEnd(name, meant)
}

/**
 * The name as a reader sees it. Nothing is decoded twice, and decoded text is never syntax. A tab counts as a space
 * (RFC 5322 3.2.2).
 */
export function decodedName(phrase: string, piece: string): string {
  const name = decodeWords(phrase).replaceAll('\t', ' ')
  const control = /[\x00-\x1f\x7f-\x9f]/.exec(name)
  if (control) fail(piece, `has ${describe(control[0])} in the encoded words of its name`)
  return name
}
