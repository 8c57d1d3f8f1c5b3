/**
 * Mailboxes and lists of them (RFC 5322 3.4), read strictly: an accepted text means one thing only, so that the header
 * the recipient sees and the envelope we send to cannot disagree. The raw text is parsed first; encoded words are
 * decoded in the names that are found, never before (RFC 2047 5 and 6.2). The cost is linear, and nothing recurses.
 */

import { type AddressSpec, readAddressSpec } from './address-spec.ts'
import { decodedName, formatMailbox, readPhrase } from './display-name.ts'
import { toAsciiDomain } from './idn.ts'
import { MAX_NAME, type Mailbox } from './mailbox.ts'
import { readPlain } from './plain-mailbox.ts'
import {
  AddressCountError,
  assertPrintable,
  closeAngle,
  closeComment,
  closeQuote,
  fail,
  failLiteral,
  isSpace,
  skipComments,
  skipGroupEnd,
  skipSpace,
  trimEnd,
} from './text.ts'

export { formatMailbox } from './display-name.ts'
export { MAX_NAME, type Mailbox } from './mailbox.ts'
export { AddressCountError, AddressError } from './text.ts'

/** The most groups and lone comments in a list whose mailboxes are limited. */
const MAX_OTHERS = 1000
/**
 * Reads a list of mailboxes separated by commas, or by semicolons, because people paste such lists. Groups are
 * flattened and empty elements skipped, so the list may be empty.
 *
 * An unquoted comma inside a display name (`Doe, Jane <j@x.test>`) is RFC-invalid but unambiguous as long as the piece
 * before it has no address of its own, and common clients send exactly that; the pieces become one name.
 * @param most mailboxes that may be read; reading stops at the first one beyond
 * @throws AddressError naming the first mailbox that cannot be used; AddressCountError when there are more than `most`
 */
export function parseAddressList(text: string, most = Number.POSITIVE_INFINITY): Mailbox[] {
  const plain = most > 0 ? readPlain(text) : null
  if (plain !== null) return [plain]
  assertPrintable(text)
  const mailboxes: Mailbox[] = []
  let elements = 0
  let group = -1
  let at = 0
  while (at < text.length) {
    // Empty elements do not count, because skipping millions of them takes less time than sending them.
    if (text[at] === ',' || (text[at] === ';' && group < 0) || isSpace(text[at])) {
      at++
      continue
    }
    if (++elements > 2 * most + MAX_OTHERS) throw new AddressCountError(most)
    const element = scanElement(text, at, group >= 0)
    at = element.end + 1
    if (element.separator === ':') {
      group = element.start
      continue
    }
    if (element.start < element.end) {
      const mailbox = readMailbox(text, element)
      if (mailbox && mailboxes.length >= most) throw new AddressCountError(most)
      if (mailbox) mailboxes.push(mailbox)
    }
    if (element.separator === ';' && group >= 0) {
      group = -1
      at = skipGroupEnd(text, at)
    }
  }
  if (group >= 0) fail(text.slice(group), 'opens a group with ":" that no ";" closes')
  return mailboxes
}

/**
 * Reads exactly one mailbox.
 * @throws AddressError when there is none, more than one, or it is not valid
 */
export function parseMailbox(text: string): Mailbox {
  const mailboxes = parseAddressList(text)
  if (mailboxes.length === 0) fail(text, 'is not an email address: it is empty')
  if (mailboxes.length > 1) fail(text, `holds ${mailboxes.length} addresses where one is expected`)
  return mailboxes[0]!
}

/**
 * The lower-case A-label form of a domain given in Unicode or punycode.
 * @throws AddressError when it is not a valid domain name
 */
export function parseDomain(text: string): string {
  assertPrintable(text)
  const result = toAsciiDomain(text)
  if (result.reason !== undefined) fail(text, `is not a domain name: ${result.reason}`)
  return result.ascii
}

/** URL schemes that are copied along with an address from a link or a directory. */
const SCHEME = /^(?:mailto|smtp|sip|https?)$/i

/** One element of the list: its position, and the marks outside quotes and comments. */
interface AddressElement {
  /** First character that is not white space. */
  start: number
  /** Index of the separator, or the length of the text. */
  end: number
  separator: ',' | ';' | ':' | ''
  /** `<` and `>` of the address; -1 when there is none. */
  open: number
  close: number
  /** First `@` before the angle bracket; -1 when there is none. */
  at: number
  /** First comma taken for a part of the name; -1 when there is none. */
  comma: number
}

function scanElement(text: string, from: number, inGroup: boolean): AddressElement {
  let at = skipSpace(text, from)
  const element: AddressElement = {
    start: at,
    end: at,
    separator: '',
    open: -1,
    close: -1,
    at: -1,
    comma: -1,
  }
  /** True after an unquoted word: only then may the element be the first piece of a name with a comma in it. */
  let word = false
  let quoted = false
  for (; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      if (element.close < 0) quoted = true
      at = closeQuote(text, at, element.start)
    } else if (character === '(') {
      at = closeComment(text, at, element.start)
    } else if (character === '<') {
      if (element.open >= 0) fail(text.slice(element.start), 'has a second "<" where a comma is expected')
      element.open = at
      element.close = at = closeAngle(text, at, element.start)
    } else if (character === '>') {
      fail(text.slice(element.start), 'has a ">" without a "<" before it')
    } else if (character === ',') {
      if (element.open >= 0 || element.at >= 0 || (element.comma < 0 && (!word || quoted))) {
        return { ...element, end: at, separator: ',' }
      }
      if (element.comma < 0) element.comma = at
    } else if (character === ';') {
      return { ...element, end: at, separator: ';' }
    } else if (character === ':') {
      if (inGroup) fail(text.slice(element.start), 'has a ":": a group cannot hold another group')
      if (element.at >= 0 || element.open >= 0 || element.comma >= 0) {
        fail(text.slice(element.start), 'has a ":" where none is expected')
      }
      const scheme = SCHEME.exec(text.slice(element.start, Math.min(at, element.start + 10)))
      if (scheme) fail(text.slice(element.start), `begins with "${scheme[0]}:": leave that out`)
      return { ...element, end: at, separator: ':' }
    } else if (character === '@') {
      if (element.at < 0 && element.open < 0) element.at = at
      // An address literal may hold colons: it is refused here, before a colon is taken for a group.
      if (text[at + 1] === '[') failLiteral(text.slice(element.start))
    } else if (!isSpace(character)) {
      word = true
    }
  }
  element.end = text.length
  return element
}

function readMailbox(text: string, element: AddressElement): Mailbox | null {
  const piece = trimEnd(text.slice(element.start, element.end))
  if (element.open < 0) {
    if (element.at < 0) {
      if (skipComments(text, element.start, element.end) === element.end) return null
      const first = element.comma < 0 ? piece : text.slice(element.start, element.comma)
      fail(first, 'is not an email address: there is no @ in it')
    }
    // A name with a comma needs the angle brackets that separate name and address.
    if (element.comma >= 0)
      fail(text.slice(element.start, element.comma), 'is not an email address: there is no @ in it')
    const spec = readAddressSpec(text, element.start, element.end, piece)
    return finish(spec, decodedName(spec.comment, piece), piece)
  }
  if (skipComments(text, element.close + 1, element.end) < element.end) {
    fail(piece, 'has text after ">" where a comma is expected')
  }
  const spec = readAddressSpec(text, element.open + 1, element.close, piece)
  const phrase = readPhrase(text, element.start, element.open)
  // `a@x.test <b@y.test>`: two addresses, one of which would be lost. A name that repeats the address itself is
  // harmless.
  if (
    element.at >= 0 &&
    phrase.toLowerCase() !==
      trimEnd(text.slice(skipSpace(text, element.open + 1), element.close)).toLowerCase()
  ) {
    fail(piece, 'has an @ in its name: put the name into quotation marks')
  }
  return finish(spec, decodedName(phrase, piece), piece)
}

function finish(spec: AddressSpec, name: string, piece: string): Mailbox {
  if (Buffer.byteLength(name) > MAX_NAME) fail(piece, `has a name longer than ${MAX_NAME} octets`)
  const { local, domain } = spec
  const address = `${local}@${domain}`
  // The text is kept as written only if comments and white space do not make it much longer than its name and address.
  const asWritten = piece.length <= 2 * (name.length + address.length) + 8 && !/\(|=\?/.test(piece)
  return { name, local, domain, address, text: asWritten ? piece : formatMailbox({ name, address }) }
}
