/**
 * The closed list of what can be wrong with a request before it is a submission. Like a Refusal, a Fault carries a
 * reason, and each dialect puts it into its own words and status.
 */
import type { Reason } from '../intake/refusal.ts'
import type { About, OperateCode } from '../operate/error.ts'

/** Why a verb does not do what was asked; what is the operator's to know is `unavailable` or `internal`. */
export type VerbRefused = Exclude<OperateCode, 'unavailable' | 'damaged'>

export type HttpReason =
  /** No Authorization header. */
  | { code: 'key_missing' }
  /** The key, or its company, made more than `limit` requests a second; the next may come in `retryAfter` seconds. */
  | { code: 'rate_limited'; of: 'key' | 'company'; limit: number; retryAfter: number }
  /** The company has its share of what can be under way; another request may be made in `retryAfter` seconds. */
  | { code: 'too_much_under_way'; retryAfter: number }
  /** All that can be under way is, of all companies together. */
  | { code: 'overloaded'; retryAfter: number }
  /** Reading the request took more memory or time than one request may take. */
  | { code: 'too_complex'; cause: 'memory' | 'time' }
  /** The body is over `max` octets; where that is derived from the limit of a composed message, `messageMax` is it. */
  | { code: 'body_too_large'; max: number; messageMax: number | null }
  /** The body cannot be read as what it says it is. `detail` is a sentence. */
  | { code: 'body_malformed'; detail: string }
  /** Media type or content coding that is not spoken here. `detail` is a sentence. */
  | { code: 'media_type_unsupported'; detail: string }
  /** Something asked for cannot be done as asked. `detail` is the whole sentence, in the dialect's own tradition. */
  | { code: 'request_invalid'; detail: string }
  /**
   * Whoever asks has not signed in (401), may not do this (403) or not so often (429), or who vouches for him does not
   * answer (502). `why`: a stable word for the page. `detail` is a
   * sentence without a final stop.
   */
  | {
      code: 'person_refused'
      status: 401 | 403 | 429 | 502
      why: string
      detail: string
      retryAfter?: number
    }
  /** `advice`: half a sentence for whoever set the client up. */
  | { code: 'path_unknown'; advice?: string | null }
  /** `allow`: the methods there are, as in the Allow header. */
  | { code: 'method_unknown'; allow: string }
  /** Unknown, another company's, or not an id at all: one answer for all three. */
  | { code: 'email_unknown' }
  /** A link that works without a key is not ours, or has ended. `detail` is a sentence without a final stop. */
  | { code: 'link_refused'; detail: string }
  /** Not HTTP as RFC 9112 has it, or over the limits of its head. */
  | { code: 'http_malformed'; status: 400 | 408 | 414 | 417 | 431 | 501; detail: string }
  /** A verb did not do what was asked. `detail` is a sentence for the caller, without a final stop. */
  | { code: 'operation_refused'; why: VerbRefused; about?: About | null; detail: string }
  /** Our own fault. `requestId` leads to the log entry; nothing else is told. */
  | { code: 'internal'; requestId: string }

/** Ms after which a company hears that it has too much under way. Told at once, it would be asked again at once. */
export const REFUSED_FOR = 1_000

/** Everything a dialect needs words for. */
export type AnyReason = Reason | HttpReason

export class Fault extends Error {
  override name = 'Fault'
  readonly reason: AnyReason
  constructor(reason: AnyReason, options?: ErrorOptions) {
    super('detail' in reason ? `${reason.code}: ${reason.detail}` : reason.code, options)
    this.reason = reason
  }
}

/** The client went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** Octets as people write them, e.g. `40 MB`; a MB is 1,048,576 octets, as in the settings. */
export function inMegabytes(octets: number): string {
  const megabytes = octets / 1_048_576
  return megabytes >= 0.1 ? `${Math.round(megabytes * 10) / 10} MB` : `${octets} octets`
}

/** Text of a request repeated in an answer: at most `length` characters of it. */
export function clip(text: string, length = 100): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
