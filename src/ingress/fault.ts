/**
 * The closed list of faults that a request may have before it is a submission. Like a Refusal, a Fault carries a
 * reason, and each dialect has its own sentence and status for it.
 */
import type { Reason } from '../intake/refusal.ts'
import type { About, OperateCode } from '../operate/error.ts'

/** Refusals of a verb that concern its caller; those for the operator are `unavailable` or `internal`. */
export type VerbRefusalCode = Exclude<OperateCode, 'unavailable' | 'damaged'>

export type HttpReason =
  /** No Authorization header. */
  | { code: 'key_missing' }
  /** The key, or its company, sent more than `limit` requests a second; the next is allowed in `retryAfter` seconds. */
  | { code: 'rate_limited'; of: 'key' | 'company'; limit: number; retryAfter: number }
  /** The company has its full share of requests under way; another one is allowed in `retryAfter` seconds. */
  | { code: 'too_much_under_way'; retryAfter: number }
  /** All capacity is taken, by all companies together. */
  | { code: 'overloaded'; retryAfter: number }
  /** Reading the request took more memory or time than one request may take. */
  | { code: 'too_complex'; cause: 'memory' | 'time' }
  /**
   * The body is over `max` octets. `messageMax`: the limit of a composed message from which `max` is derived, if any.
   */
  | { code: 'body_too_large'; max: number; messageMax: number | null }
  /** The body cannot be parsed as its declared type. `detail` is a sentence. */
  | { code: 'body_malformed'; detail: string }
  /** An unsupported media type or content coding. `detail` is a sentence. */
  | { code: 'media_type_unsupported'; detail: string }
  /** A part of the request cannot be honoured. `detail` is the whole sentence, in the dialect's own tradition. */
  | { code: 'request_invalid'; detail: string }
  /**
   * The person has no session (401), lacks the right (403) or tries too often (429), or the identity provider does not
   * answer (502). `why`: a stable word for the page. `detail` is a sentence without a final stop.
   */
  | {
      code: 'person_refused'
      status: 401 | 403 | 429 | 502
      why: string
      detail: string
      retryAfter?: number
    }
  /** `advice`: half a sentence for the person who configured the client. */
  | { code: 'path_unknown'; advice?: string | null }
  /** `allow`: the methods of the path, as in the Allow header. */
  | { code: 'method_unknown'; allow: string }
  /** The email is unknown or another company's, or its id is not one: the answer is the same. */
  | { code: 'email_unknown' }
  /**
   * A link for use without a key has an invalid signature, or has expired. `detail` is a sentence without a final stop.
   */
  | { code: 'link_refused'; detail: string }
  /** Invalid HTTP by RFC 9112, or over the limits of a head. */
  | { code: 'http_malformed'; status: 400 | 408 | 414 | 417 | 431 | 501; detail: string }
  /** A verb refused the request. `detail` is a sentence for the caller, without a final stop. */
  | { code: 'operation_refused'; why: VerbRefusalCode; about?: About | null; detail: string }
  /** An error of this service. `requestId` leads to the log entry; nothing else is revealed. */
  | { code: 'internal'; requestId: string }

/** Ms by which a refusal for too much under way is delayed, so that the client does not retry at once. */
export const REFUSAL_DELAY_MS = 1_000

/** Every reason for which a dialect needs an error. */
export type AnyReason = Reason | HttpReason

export class Fault extends Error {
  override name = 'Fault'
  readonly reason: AnyReason
  constructor(reason: AnyReason, options?: ErrorOptions) {
    super('detail' in reason ? `${reason.code}: ${reason.detail}` : reason.code, options)
    this.reason = reason
  }
}

/** The client disconnected before its request was complete: no answer is possible. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** Octets for people, e.g. `40 MB`; a MB is 1,048,576 octets, as in the settings. */
export function inMegabytes(octets: number): string {
  const megabytes = octets / 1_048_576
  return megabytes >= 0.1 ? `${Math.round(megabytes * 10) / 10} MB` : `${octets} octets`
}
