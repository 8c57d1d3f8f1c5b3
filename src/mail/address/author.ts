/**
 * Mailboxes that name a message's author (From, Sender and their Resent twins). The signature vouches for their domain,
 * so they must be plain: every reader, however old or lenient, has to find the same address in them.
 */
import { holdsEncodedWord } from '../header/encoded-word.ts'
import { isAtOrBelow } from './address-domain.ts'
import { INVISIBLE, toAsciiDomain } from './idn.ts'
import type { Mailbox } from './mailbox.ts'
import { AddressError } from './text.ts'

/** A valid mailbox that may not be a message's author. The error message may be shown to the sender. */
export class AuthorError extends AddressError {
  override name = 'AuthorError'
}

/** @throws AuthorError for an address or a name in which a reader could find another author */
export function assertAuthor({ name, local, domain }: Pick<Mailbox, 'name' | 'local' | 'domain'>): void {
  // Some readers look for an address inside the quotes (RFC 5321 4.1.2 warns of defining such mailboxes).
  if (local.startsWith('"')) {
    throw new AuthorError('a sender address must not have quotation marks before its @')
  }
  if (ROUTED.test(local)) {
    throw new AuthorError(
      'a sender address must not name another host before its @ (RFC 5321 appendix F.2, RFC 1123 5.2.16)',
    )
  }
  if (name !== '') assertName(name, domain)
}

/** `user%host.example` and `host.example!user`: old servers delivered these to the other host. */
const ROUTED = /%[^%!]*\.|\.[^%!]*!/

/** Characters that break lines, and those that reverse the text: the reader would not see what was written. */
const MISLEADING = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]/

/** Matches most names. Nothing in such a name can be taken for an address, an encoded word or the end of a line. */
const HARMLESS = /^[\x20-<>A-Z[-~]*$/

function assertName(name: string, domain: string): void {
  if (HARMLESS.test(name)) return
  if (MISLEADING.test(name)) {
    throw new AuthorError('the display name contains a character that breaks the line or reverses the text')
  }
  if (holdsEncodedWord(name)) {
    throw new AuthorError(
      'the display name holds an encoded word that cannot be read; encode it as UTF-8 (RFC 2047)',
    )
  }
  for (const claim of claims(name)) {
    const ascii = toAsciiDomain(claim).ascii ?? claim
    // Domains above and below the sender's may speak for it (RFC 7489 3.1.1).
    if (isAtOrBelow(ascii, domain) || isAtOrBelow(domain, ascii)) continue
    throw new AuthorError(
      `the display name holds an address at ${ascii.slice(0, 80)}, which is not the domain of the sender`,
    )
  }
  // The name will be encoded, and programs that decode before they parse would take it for an address.
  if (
    name
      .split(' ')
      .some(
        (word) => /[^\x00-\x7f]/.test(word) && word.includes('@') && word.includes('.', word.indexOf('@')),
      )
  ) {
    throw new AuthorError('the display name holds an address with characters other than ASCII')
  }
}

/**
 * Yields the domains of everything in a name that could be taken for an address, quoted or not: a domain with a dot
 * after an @, with space around both as obsolete syntax allows (RFC 5322 4.4). Full-width forms and invisible
 * characters hide nothing.
 */
function* claims(name: string): Iterable<string> {
  const plain = name.normalize('NFKC').replace(new RegExp(INVISIBLE, 'gu'), '').replaceAll('\u3002', '.')
  if (!plain.includes('@')) return
  for (const [, before, written] of plain.matchAll(
    // A lookbehind consumes nothing: the text before one @ may be the text after another.
    /(?<=(^|.))@(\s*[^\s@<>()",;:\\.]+(?:\s*\.\s*[^\s@<>()",;:\\.]+)*)/gsu,
  )) {
    // `News @ St. Pauli` is not an address; `ceo@victim. test` is read as one.
    const asWritten = /\s|^$/.test(before!) ? written!.trimStart().split(/\s/, 1)[0]! : written!
    const domain = asWritten.replace(/\s+|\.$/g, '').toLowerCase()
    if (domain.startsWith('[') || domain.includes('.')) yield domain
  }
}
