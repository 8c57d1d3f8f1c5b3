/**
 * Mailboxes that say who a message is from (From, Sender and their Resent twins). The signature vouches for their domain, so they
 * must be plain: every reader, however old or lenient, has to find the same address in them.
 */
import { holdsEncodedWord } from '../header/encoded-word.ts'
import { INVISIBLE, toAsciiDomain } from './idn.ts'
import type { Mailbox } from './mailbox.ts'
import { AddressError } from './text.ts'

/** A valid mailbox that no message may be from. The message is fit to be shown to the sender. */
export class AuthorError extends AddressError {
  override name = 'AuthorError'
}

/** @throws AuthorError for an address or a name in which a reader could find another author */
export function assertAuthor({ name, local, domain }: Pick<Mailbox, 'name' | 'local' | 'domain'>): void {
  // Some readers look for an address inside the quotes (RFC 5321 4.1.2 warns of defining such mailboxes).
  if (local.startsWith('"')) {
    throw new AuthorError('a sender address must do without quotation marks before its @')
  }
  if (ROUTED.test(local)) {
    throw new AuthorError(
      'a sender address must not name another host before its @ (RFC 5321 appendix F.2, RFC 1123 5.2.16)',
    )
  }
  if (name !== '') assertName(name, domain)
}

/** `user%host.example` and `host.example!user`: servers of old delivered these to the other host. */
const ROUTED = /%[^%!]*\.|\.[^%!]*!/

/** Lines break at these, and text runs backwards behind those: what is shown is not what was written. */
const MISLEADING = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]/

function assertName(name: string, domain: string): void {
  if (MISLEADING.test(name)) {
    throw new AuthorError('the display name contains a character that breaks the line or reverses the text')
  }
  if (holdsEncodedWord(name)) {
    throw new AuthorError(
      'the display name holds an encoded word that cannot be read; encode it as UTF-8 (RFC 2047)',
    )
  }
  const other = otherDomain(name, domain)
  if (other !== undefined) {
    throw new AuthorError(
      `the display name holds an address at ${other}, which is not the domain of the sender`,
    )
  }
}

/**
 * The first domain in a name, behind an @, that is neither the given one nor above or below it (RFC 7489 3.1.1: such domains
 * may speak for each other); undefined when there is none. Full-width forms and invisible characters hide nothing.
 */
function otherDomain(name: string, domain: string): string | undefined {
  const plain = name.normalize('NFKC').replace(new RegExp(INVISIBLE, 'gu'), '')
  for (const [, written] of plain.matchAll(/@\s*([^\s@<>()",;:\\]{1,255})/g)) {
    const named = written!.replace(/[.\u3002]+$/, '').toLowerCase()
    const isLiteral = named.startsWith('[')
    if (!isLiteral && !/[.\u3002]/.test(named)) continue
    const ascii = toAsciiDomain(named).ascii ?? named
    if (ascii !== domain && !ascii.endsWith(`.${domain}`) && !domain.endsWith(`.${ascii}`))
      return ascii.slice(0, 80)
  }
  return undefined
}
