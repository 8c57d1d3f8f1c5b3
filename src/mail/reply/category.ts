/** Why mail was refused or came back, in one word: the same for live answers of servers and for reports. */

export const BOUNCE_CATEGORIES = [
  'address_unknown',
  'mailbox_full',
  'mailbox_disabled',
  'domain_unknown',
  'no_mail_accepted',
  'policy',
  'content_spam',
  'content_too_big',
  'reputation',
  'authentication',
  'rate_limited',
  'greylisted',
  'network',
  'tls',
  'relay_denied',
  'expired',
  'other',
] as const

export type BounceCategory = (typeof BOUNCE_CATEGORIES)[number]
