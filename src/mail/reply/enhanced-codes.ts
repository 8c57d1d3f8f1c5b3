/**
 * The reason that an enhanced code names, by subject and detail: RFC 3463 3, RFC 7372, RFC 7505, the registry of IANA,
 * and the codes of Exchange Online. A code without an entry counts as the entry of its subject.
 */
import type { BounceCategory } from './category.ts'

const DETAILS: Readonly<Record<string, BounceCategory>> = {
  '1.1': 'address_unknown',
  '1.2': 'domain_unknown',
  '1.3': 'address_unknown',
  '1.6': 'address_unknown',
  // RFC 3463 3.2: the sender's address, the sender's domain.
  '1.7': 'policy',
  '1.8': 'policy',
  '1.10': 'no_mail_accepted',
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'content_too_big',
  // The disk of the server is full.
  '3.1': 'other',
  '3.2': 'no_mail_accepted',
  '3.4': 'content_too_big',
  '4.4': 'domain_unknown',
  '4.5': 'rate_limited',
  '4.7': 'expired',
  '4.310': 'domain_unknown',
  '5.3': 'rate_limited',
  '6.7': 'other',
  '7.4': 'tls',
  '7.5': 'tls',
  '7.8': 'authentication',
  '7.10': 'tls',
  '7.11': 'tls',
  '7.13': 'mailbox_disabled',
  '7.14': 'authentication',
  '7.17': 'address_unknown',
  '7.20': 'authentication',
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'reputation',
  '7.26': 'authentication',
  // Gmail: SPF. RFC 7505 4.2: the sender's domain takes no mail.
  '7.27': 'authentication',
  '7.28': 'rate_limited',
  '7.29': 'tls',
  // Gmail: DKIM. RFC 8689 5 has it for REQUIRETLS, which the service never asks for.
  '7.30': 'authentication',
  // Gmail: From is not aligned with what SPF or DKIM authenticate.
  '7.32': 'authentication',
  '7.57': 'authentication',
  '7.500': 'rate_limited',
  '7.509': 'authentication',
  '7.511': 'reputation',
  '7.515': 'authentication',
  '7.708': 'reputation',
}

const SUBJECTS: Readonly<Record<string, BounceCategory>> = {
  '4': 'network',
  '6': 'policy',
  '7': 'policy',
}

/** With a temporary code: the system takes no mail for now, or the route is not known yet. */
const FOR_NOW: Readonly<Record<string, BounceCategory>> = { '3.2': 'other', '4.4': 'network' }

/** Exchange Online: 5.7.606 to 649 are banned addresses, 4.7.650 to 659 limits of one address. */
const BANNED = /^7\.6[0-4]\d$/
const LIMITED = /^7\.65\d$/

/** The categories of an address that no mail reaches. A disabled mailbox may come back. */
export const DEAD_CATEGORIES: ReadonlySet<BounceCategory> = new Set([
  'address_unknown',
  'domain_unknown',
  'no_mail_accepted',
])

/** RFC 3463 3.2, and Exchange's 5.1.10: details of an address that does not exist. */
export const UNKNOWN_DETAILS: ReadonlySet<string> = new Set(['1.1', '1.6', '1.10'])
/** RFC 3463 3.2: no such mailbox, or moved without a new address. */
export const GONE_DETAILS: ReadonlySet<string> = new Set(['1.1', '1.6'])
/** RFC 3463 3.2: the sender's address, the sender's domain. */
export const SENDER_DETAILS: ReadonlySet<string> = new Set(['1.7', '1.8'])

/**
 * RFC 4954 6, and Exchange: the login of the client. The other codes of `authentication` are about the sending domain.
 */
export const LOGIN_DETAILS: ReadonlySet<string> = new Set(['7.8', '7.11', '7.57'])

/** RFC 3463 3.2: whether the code itself says for good that the address, or its domain, takes no mail. */
export function isDeadAddress(status: string): boolean {
  return status.startsWith('5.1.') && DEAD_CATEGORIES.has(categoryOfStatus(status)!)
}

/** `status` is `class.subject.detail`. Null: the code gives no reason. */
export function categoryOfStatus(status: string): BounceCategory | null {
  const detail = status.slice(2)
  if (!status.startsWith('5') && Object.hasOwn(FOR_NOW, detail)) return FOR_NOW[detail]!
  if (Object.hasOwn(DETAILS, detail)) return DETAILS[detail]!
  if (BANNED.test(detail)) return 'reputation'
  if (LIMITED.test(detail)) return 'rate_limited'
  return SUBJECTS[detail.split('.', 1)[0]!] ?? null
}
