/**
 * Mailboxes and lists of them (RFC 5322 3.4), read strictly: what is accepted means one thing only, so that the header
 * the recipient sees and the envelope we send to cannot disagree. Every character is looked at a fixed number of times,
 * nothing recurses.
 */

import { describe, INVISIBLE, toAsciiDomain } from './idn.ts'
import { MAX_ADDRESS, MAX_LOCAL, MAX_NAME, type Mailbox } from './mailbox.ts'
import { readPlain } from './plain-mailbox.ts'
import {
  AddressCountError,
  assertPrintable,
  closeAngle,
  closeComment,
  closeQuote,
  comments,
  fail,
  failLiteral,
  quote,
  skipComments,
  skipGroupEnd,
  skipSpace,
  unescapeQuoted,
} from './text.ts'

export { MAX_NAME, type Mailbox } from './mailbox.ts'
export { AddressCountError, AddressError } from './text.ts'

/** Groups and lone comments that a list with a bound may hold beside its mailboxes. */
const MAX_OTHERS = 1000
/**
 * Reads a comma-separated list of mailboxes. Groups are flattened, empty elements are skipped, so the list may be empty.
 *
 * An unquoted comma inside a display name (`Doe, Jane <j@x.test>`) is RFC-invalid but unambiguous as long as the piece before
 * it has no address of its own, and common clients send exactly that; the pieces become one name.
 * @param most mailboxes that may be read; beyond the first one more nothing is looked at
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
    // Empty elements are passed by the dozen million in less time than it takes to send them.
    if (text[at] === ',' || text[at] === ' ' || text[at] === '\t') {
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
    if (element.separator === ';') {
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

/** One line that `parseMailbox` reads back to the same name and address; non-ASCII is left as it is (RFC 6532 3.2). */
export function formatMailbox(mailbox: Pick<Mailbox, 'name' | 'address'>): string {
  if (mailbox.name === '') return mailbox.address
  return `${PLAIN_PHRASE.test(mailbox.name) ? mailbox.name : quote(mailbox.name)} <${mailbox.address}>`
}

/** Atoms (RFC 5322 3.2.3, with non-ASCII as in RFC 6532 3.2) separated by single spaces: a display name that needs no quotes. */
const PLAIN_PHRASE =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*$/u
const NOT_ATEXT = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]/u

/** One element of the list: where it stands and what was seen in it outside quotes and comments. */
interface Element {
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

function scanElement(text: string, from: number, inGroup: boolean): Element {
  let at = skipSpace(text, from)
  const element: Element = { start: at, end: at, separator: '', open: -1, close: -1, at: -1, comma: -1 }
  /** True once there is an unquoted word, which alone may be the first piece of a name with a comma in it. */
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
      if (!inGroup) fail(text.slice(element.start), 'has a ";": addresses are separated by commas')
      return { ...element, end: at, separator: ';' }
    } else if (character === ':') {
      if (inGroup) fail(text.slice(element.start), 'has a ":": a group cannot hold another group')
      if (element.at >= 0 || element.open >= 0 || element.comma >= 0) {
        fail(text.slice(element.start), 'has a ":" where none is expected')
      }
      return { ...element, end: at, separator: ':' }
    } else if (character === '@') {
      if (element.at < 0 && element.open < 0) element.at = at
      // An address literal may hold colons: it is refused here, before they are taken for groups.
      if (text[at + 1] === '[') failLiteral(text.slice(element.start))
    } else if (character !== ' ' && character !== '\t') {
      word = true
    }
  }
  element.end = text.length
  return element
}

function readMailbox(text: string, element: Element): Mailbox | null {
  const piece = text.slice(element.start, element.end).trimEnd()
  if (element.open < 0) {
    if (element.at < 0) {
      if (skipComments(text, element.start, element.end) === element.end) return null
      const first = element.comma < 0 ? piece : text.slice(element.start, element.comma)
      fail(first, 'is not an email address: there is no @ in it')
    }
    // A comma in the name needs the angle brackets that tell name and address apart.
    if (element.comma >= 0)
      fail(text.slice(element.start, element.comma), 'is not an email address: there is no @ in it')
    const spec = readAddressSpec(text, element.start, element.end, piece)
    return finish(spec, spec.comment, piece)
  }
  if (skipComments(text, element.close + 1, element.end) < element.end) {
    fail(piece, 'has text after ">" where a comma is expected')
  }
  const spec = readAddressSpec(text, element.open + 1, element.close, piece)
  const name = readPhrase(text, element.start, element.open)
  // `a@x.test <b@y.test>`: two addresses, one of which would be lost. Naming the address itself hides nothing.
  if (
    element.at >= 0 &&
    name.toLowerCase() !==
      text
        .slice(element.open + 1, element.close)
        .trim()
        .toLowerCase()
  ) {
    fail(piece, 'has an @ in its name: put the name into quotation marks')
  }
  return finish(spec, name, piece)
}

function finish(spec: AddressSpec, name: string, piece: string): Mailbox {
  if (Buffer.byteLength(name) > MAX_NAME) fail(piece, `has a name longer than ${MAX_NAME} octets`)
  const { local, domain } = spec
  return { name, local, domain, address: `${local}@${domain}`, text: piece }
}

interface AddressSpec {
  local: string
  domain: string
  /** Text of the comments around it: the display name in the old style `jane@x.test (Jane)` (RFC 5322 3.4). */
  comment: string
}

/** RFC 5322 3.4.1 addr-spec between `from` and `end`: comments and space around it, none inside. */
function readAddressSpec(text: string, from: number, end: number, piece: string): AddressSpec {
  const start = skipComments(text, from, end)
  if (start === end) fail(piece, 'has no address between "<" and ">"')
  let local: string
  let at: number
  if (text[start] === '"') {
    at = closeQuote(text, start, from) + 1
    if (text[at] !== '@' || at >= end)
      fail(piece, 'is not an email address: an @ must follow the quoted local part')
    local = quotedLocal(text.slice(start + 1, at - 1), piece)
  } else {
    at = text.indexOf('@', start)
    if (at < 0 || at >= end) fail(piece, 'is not an email address: there is no @ in it')
    local = text.slice(start, at)
    checkLocal(local, piece)
  }
  if (Buffer.byteLength(local) > MAX_LOCAL) fail(piece, `has a local part longer than ${MAX_LOCAL} octets`)
  let stop = at + 1
  while (stop < end && text[stop] !== ' ' && text[stop] !== '\t' && text[stop] !== '(') stop++
  const rest = skipComments(text, stop, end)
  const written = text.slice(at + 1, stop)
  if (written.includes('@') || text.slice(rest, end).includes('@')) {
    fail(piece, 'is not an email address: there is more than one @ in it')
  }
  if (written.startsWith('[')) failLiteral(piece)
  const result = toAsciiDomain(written)
  if (result.reason !== undefined) fail(piece, `is not an email address: ${result.reason}`)
  if (rest < end)
    fail(piece, 'has text after the address: a comma is expected, or "<" and ">" around the address')
  const domain = result.ascii
  if (Buffer.byteLength(local) + 1 + domain.length > MAX_ADDRESS) {
    fail(piece, `is longer than the ${MAX_ADDRESS} octets an address may have`)
  }
  return { local, domain, comment: comments(text, from, start) || comments(text, stop, rest) }
}

/** RFC 5321 4.1.2 Dot-string, with non-ASCII as in RFC 6531 3.3. */
function checkLocal(local: string, piece: string): void {
  if (local === '') fail(piece, 'is not an email address: nothing stands before the @')
  const stray = NOT_ATEXT.exec(local)
  if (stray && (stray[0] === ' ' || stray[0] === '\t')) {
    fail(piece, 'is not an email address: put "<" and ">" around the address')
  }
  if (stray) fail(piece, `is not an email address: ${describe(stray[0])} before the @ needs quotation marks`)
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) {
    fail(piece, 'is not an email address: a dot before the @ must stand between two other characters')
  }
  if (INVISIBLE.test(local)) fail(piece, 'is not an email address: it contains an invisible character')
}

/** The local part as it stands in the address: quotes are kept only where the content needs them (RFC 5321 4.1.2). */
function quotedLocal(inner: string, piece: string): string {
  const content = unescapeQuoted(inner)
  if (content === '') fail(piece, 'is not an email address: nothing stands before the @')
  if (INVISIBLE.test(content)) fail(piece, 'is not an email address: it contains an invisible character')
  const plain =
    !NOT_ATEXT.test(content) && !content.startsWith('.') && !content.endsWith('.') && !content.includes('..')
  return plain ? content : quote(content)
}

/**
 * The display name: words with single spaces between them. Characters that RFC 5322 wants quoted are taken as they are.
 * A comment stays part of the name (`Jane (Sales) <jane@x.test>`): whoever writes that wants it to be read.
 */
function readPhrase(text: string, from: number, end: number): string {
  let name = ''
  let at = from
  while (at < end) {
    const next = skipSpace(text, at)
    if (next >= end) break
    if (next > at && at > from) name += ' '
    let stop = next
    if (text[next] === '"') {
      stop = closeQuote(text, next, from) + 1
      name += unescapeQuoted(text.slice(next + 1, stop - 1))
    } else if (text[next] === '(') {
      stop = closeComment(text, next, from) + 1
      name += unescapeQuoted(text.slice(next, stop))
    } else {
      while (stop < end && !' \t"('.includes(text[stop]!)) stop++
      name += text.slice(next, stop)
    }
    at = stop
  }
  return name
}
