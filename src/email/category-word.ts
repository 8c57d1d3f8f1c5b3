/** The categories of refusals in words for people, on every page and in the command line. Pure. */
import type { BounceCategory } from '../mail/reply/category.ts'

interface CategoryWord {
  word: string
  /** A sentence that explains the category. */
  about: string
}

export const CATEGORY_WORDS: Readonly<Record<BounceCategory, CategoryWord>> = {
  address_unknown: { word: 'Address unknown', about: 'The address does not exist.' },
  mailbox_full: { word: 'Mailbox full', about: 'The mailbox has no room for more mail.' },
  mailbox_disabled: {
    word: 'Mailbox disabled',
    about: 'The mailbox exists, and takes no mail: it is locked, suspended or out of use.',
  },
  // RFC 3463 3.2 (X.1.2) and 3.5 (X.4.4).
  domain_unknown: {
    word: 'No mail server found',
    about: 'The domain of the address does not exist, or has no mail server with an address.',
  },
  no_mail_accepted: { word: 'Domain without mail', about: 'The domain of the address takes no mail.' },
  policy: {
    word: 'Policy',
    about: 'A rule of the recipient or its server refuses the message or its sender.',
  },
  content_spam: { word: 'Taken for spam', about: 'The server takes the content for spam, or for dangerous.' },
  content_too_big: { word: 'Message too large', about: 'The message is larger than the server accepts.' },
  reputation: {
    word: 'Bad reputation',
    about: 'The server does not trust the address, the name or the domain that the mail comes from.',
  },
  authentication: {
    word: 'Not authenticated',
    about: 'SPF, DKIM or DMARC did not pass, or the server demands a login.',
  },
  rate_limited: { word: 'Too much mail', about: 'The server limits how much mail it takes from here.' },
  greylisted: { word: 'Greylisted', about: 'The server asks new senders to try again later.' },
  network: { word: 'Network', about: 'The server could not be reached, or the connection was lost.' },
  tls: { word: 'Encryption', about: 'The encryption that one of the sides demands was not possible.' },
  relay_denied: { word: 'Relaying denied', about: 'The server takes no mail for this address from here.' },
  expired: { word: 'Gave up', about: 'The mail could not be delivered for as long as it was tried.' },
  other: { word: 'Other', about: 'The answer gives no reason that Postroad knows.' },
}
