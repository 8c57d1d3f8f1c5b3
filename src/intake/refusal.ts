/**
 * The closed list of reasons why a submission is not accepted. Intake throws a Refusal; each dialect translates it into
 * its own words and status. A refused submission leaves nothing behind.
 */
import type { Denial, Scope } from '../accounts/account.ts'
import type { Inactivity } from '../accounts/sending.ts'

export type AddressField = 'from' | 'to' | 'cc' | 'bcc' | 'reply_to'

/**
 * - `scheme`: the request has no credential of the dialect's scheme.
 * - `shape`: the credential does not have the form of a key.
 * - `unknown`: no such key exists, or it was revoked.
 */
type KeyMistake = 'scheme' | 'shape' | 'unknown'

export type Reason =
  /**
   * The key is malformed, unknown, in the wrong scheme, or revoked, perhaps while the request arrived.
   */
  | { code: 'key_invalid'; mistake: KeyMistake }
  | { code: 'key_expired' }
  /** The key may not be used from `address`, which is '' when it is unknown. */
  | { code: 'key_elsewhere'; keyId: string; address: string }
  /** The key lacks the scope that the request requires. */
  | { code: 'scope_missing'; scope: Scope }
  /** The key may send only from `domain`. */
  | { code: 'key_restricted'; domain: string }
  /**
   * JSON dialect: the domain of `from` is unknown, another company's or not active. Form: the path's domain is not
   * owned.
   */
  | { code: 'domain_unknown'; domain: string }
  /** The domain is the company's own, but it may not send. `why` is a sentence for its owner. */
  | { code: 'domain_inactive'; domain: string; why: string; cause: Inactivity }
  /**
   * Form dialect: the domain of `from` is neither that of the path nor one that mail of the path's domain may use in
   * From.
   */
  | { code: 'from_mismatch'; domain: string; fromDomain: string }
  | { code: 'field_missing'; field: string }
  | { code: 'body_missing' }
  /** A mailbox in `field` is invalid; `detail` gives the mailbox and the reason. */
  | { code: 'address_invalid'; field: AddressField; detail: string }
  /** Sender, Resent-From or the like in `field` names an author the key may not send as; `detail` names the author. */
  | { code: 'author_denied'; field: string; detail: string }
  /** Another field has an unusable value; `field` in the dialect's spelling. */
  | { code: 'field_invalid'; field: string; detail: string }
  | { code: 'attachment_invalid'; index: number; detail: string }
  | { code: 'too_many_recipients'; max: number; found: number }
  | { code: 'message_too_large'; max: number; found: number }
  /** The header of a ready message shows a mail loop. */
  | { code: 'mail_loop'; detail: string }
  /** `o:`, `h:`, `v:` fields together are over 16 KB. */
  | { code: 'options_too_large'; max: number }
  /**
   * The request uses an option that would change the treatment of the message, and that this version does not support.
   */
  | { code: 'unsupported'; field: string; detail: string }
  | { code: 'idempotency_key_invalid'; detail: string }
  /** The idempotency key was used before with another body. */
  | { code: 'idempotency_conflict' }
  /**
   * With this email the company would exceed its quota of recipients a day or a month. `until`: Unix
   * ms of the beginning of the next day or month; `retryAfter`: seconds until then.
   */
  | {
      code: 'quota_exceeded'
      domain: string
      which: 'daily' | 'monthly'
      limit: number
      until: number
      retryAfter: number
    }
  /**
   * The store cannot be used now; the same request may succeed after `retryAfter` seconds. `of`: `mail`, of which
   * nothing was accepted; a `writing` or a `reading` request.
   */
  | { code: 'unavailable'; of: 'mail' | 'writing' | 'reading'; retryAfter: number; detail: string }

export class Refusal extends Error {
  override name = 'Refusal'
  readonly reason: Reason
  constructor(reason: Reason, options?: ErrorOptions) {
    super('detail' in reason ? `${reason.code}: ${reason.detail}` : reason.code, options)
    this.reason = reason
  }
}

/** The Refusal for an unusable value of a field. */
export function invalidField(field: string, detail: string): Refusal {
  return new Refusal({ code: 'field_invalid', field, detail })
}

/** Whether the reason lies in the key and not in an email, and so refuses a whole batch. */
export function isAboutKey({ code }: Reason): boolean {
  return ABOUT_KEYS.has(code)
}

const ABOUT_KEYS = new Set<Reason['code']>(['key_invalid', 'key_expired', 'key_elsewhere', 'scope_missing'])
const ABOUT_DOMAINS = new Set<Reason['code']>([
  'domain_unknown',
  'domain_inactive',
  'author_denied',
  'from_mismatch',
])

/** Whether the reason ends as soon as a domain is added, becomes active, or may speak for another. */
export function isAboutDomain({ code }: Reason): boolean {
  return ABOUT_DOMAINS.has(code)
}

/** The Refusal for a denied caller. */
export function refusalOf(denial: Denial): Refusal {
  switch (denial.denied) {
    case 'unknown':
      return new Refusal({ code: 'key_invalid', mistake: 'unknown' })
    case 'expired':
      return new Refusal({ code: 'key_expired' })
    case 'elsewhere':
      return new Refusal({ code: 'key_elsewhere', keyId: denial.keyId, address: denial.address })
  }
}
