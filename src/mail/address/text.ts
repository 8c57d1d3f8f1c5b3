/**
 * The lexical rules of addresses (RFC 5322 3.2): quotes, comments, angle brackets, and the error for a piece of text.
 */
import { excerpt } from '../excerpt.ts'
import { describe } from './idn.ts'

/**
 * A text that is not a mailbox. The message quotes it, gives the reason, and may be shown to the sender; at most 200
 * characters.
 */
export class AddressError extends Error {
  override name = 'AddressError'
}

/** A list with more addresses than the caller allows. */
export class AddressCountError extends AddressError {
  override name = 'AddressCountError'
  constructor(most: number) {
    super(`The address text holds more than ${most} addresses`)
  }
}

/** RFC 5322 3.2.4 quoted-string. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

export function unescapeQuoted(inner: string): string {
  return inner.includes('\\') ? inner.replace(/\\(.)/gsu, '$1') : inner
}

/**
 * Characters that look like a space and are pasted along with addresses: the space separators of Unicode, and U+2800.
 */
const WIDE_SPACES = new Set(
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2800\u3000',
)

/** True for space, TAB and the wide spaces. */
export function isSpace(character: string | undefined): boolean {
  if (character === ' ' || character === '\t') return true
  return character !== undefined && character > '\x7f' && WIDE_SPACES.has(character)
}

export function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text[at])) at++
  return at
}

/** The text without the space at its end, down to `from`. */
export function trimEnd(text: string, from = 0): string {
  let end = text.length
  while (end > from && isSpace(text[end - 1])) end--
  return text.slice(0, end)
}

/** The first space in a text; undefined when there is none. */
export function firstSpace(text: string): string | undefined {
  for (const character of text) if (isSpace(character)) return character
  return undefined
}

/** The first position from `from`, up to `end`, that is neither white space nor comment. */
export function skipComments(text: string, from: number, end: number): number {
  let at = skipSpace(text, from)
  while (at < end && text[at] === '(') at = skipSpace(text, closeComment(text, at, from) + 1)
  return Math.min(at, end)
}

/** Text of the first comment between two positions, which hold only comments and white space. */
export function comments(text: string, from: number, end: number): string {
  const open = skipSpace(text, from)
  if (open >= end) return ''
  return unescapeQuoted(text.slice(open + 1, closeComment(text, open, from))).trim()
}

export function closeQuote(text: string, open: number, start: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return fail(text.slice(start), 'has a quotation mark that is not closed')
}

/** Comments nest (RFC 5322 3.2.2): their depth is counted, without recursion. */
export function closeComment(text: string, open: number, start: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return fail(text.slice(start), 'has a "(" that is not closed')
}

export function closeAngle(text: string, open: number, start: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '"') at = closeQuote(text, at, start)
    else if (text[at] === '(') at = closeComment(text, at, start)
    else if (text[at] === '>') return at
    else if (text[at] === '<') fail(text.slice(start), 'has a "<" inside "<" and ">"')
  }
  return fail(text.slice(start), 'has a "<" that is not closed')
}

/** After the `;` of a group a comma or the end must follow. */
export function skipGroupEnd(text: string, from: number): number {
  const at = skipComments(text, from, text.length)
  if (at < text.length && text[at] !== ',')
    fail(text.slice(at), 'follows a group without a comma between them')
  return at + 1
}

/**
 * Line breaks, control characters except TAB, and halves of surrogate pairs are refused everywhere (RFC 5322 2.2;
 * header injection).
 */
export function assertPrintable(text: string): void {
  const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/.exec(text)
  if (control) {
    throw new AddressError(
      `The address text contains ${describe(control[0])} at character ${control.index + 1}`,
    )
  }
  if (!text.isWellFormed()) throw new AddressError('The address text contains half of a surrogate pair')
}

export function failLiteral(piece: string): never {
  fail(piece, 'names an IP address: only domain names can be sent to')
}

export function fail(piece: string, why: string): never {
  throw new AddressError(`"${excerpt(piece)}" ${why}`)
}
