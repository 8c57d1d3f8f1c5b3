/** RFC 5322 3.4.1 addr-spec. */
import { toAsciiDomain } from './idn.ts'
import { checkLocal, quotedLocal } from './local-part.ts'
import { MAX_ADDRESS, MAX_LOCAL } from './mailbox.ts'
import { closeQuote, comments, fail, failLiteral, isSpace, skipComments } from './text.ts'

export interface AddressSpec {
  local: string
  domain: string
  /** Text of the comment around it: the display name in the old style `jane@x.test (Jane)` (RFC 5322 3.4). */
  comment: string
}

/** Reads an RFC 5322 3.4.1 addr-spec between `from` and `end`: comments and space may stand around it, none inside. */
export function readAddressSpec(text: string, from: number, end: number, piece: string): AddressSpec {
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
  while (stop < end && !isSpace(text[stop]) && text[stop] !== '(') stop++
  const rest = skipComments(text, stop, end)
  const written = text.slice(at + 1, stop)
  if (written.includes('@')) fail(piece, 'is not an email address: there is more than one @ in it')
  if (text.slice(rest, end).includes('@')) {
    fail(piece, 'is not an email address: there is more than one @ in it; commas separate addresses')
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
