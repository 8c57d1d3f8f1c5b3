/** The form dialect's words: every reason there is, as status and sentence, in the sentences its clients know. */
import { type Answer, JSON_TYPE, TEXT_TYPE } from '../answer.ts'
import { place } from '../client-address.ts'
import { type AnyReason, clip, inMegabytes, REFUSED_FOR } from '../fault.ts'

function messageAnswer(status: number, message: string, headers?: Record<string, string>): Answer {
  const body = JSON.stringify({ message })
  return headers ? { status, type: JSON_TYPE, body, headers } : { status, type: JSON_TYPE, body }
}

/** What the fields of a submission are called here. */
const SPELLING: Readonly<Record<string, string>> = { reply_to: 'h:Reply-To' }

function spelt(field: string): string {
  // The intake says where in the submission a header field went wrong.
  if (field.startsWith('headers.')) return clip(`h:${field.slice('headers.'.length)}`)
  return SPELLING[field] ?? clip(field)
}

export function formWords(reason: AnyReason): Answer {
  switch (reason.code) {
    case 'key_missing':
    case 'key_invalid':
    case 'key_expired':
      // The one answer that is not JSON. RFC 9110 11.6.1: a 401 names the scheme it wants.
      return {
        status: 401,
        type: TEXT_TYPE,
        body: 'Forbidden',
        headers: { 'www-authenticate': 'Basic realm="Postroad"' },
      }
    case 'key_elsewhere':
      return messageAnswer(403, `This API key may not be used from ${place(reason.address)}`)
    case 'scope_missing':
      return messageAnswer(403, `This API key lacks the ${reason.scope} scope`)
    case 'key_restricted':
      return messageAnswer(403, `This API key may send only from ${reason.domain}`)
    case 'domain_unknown':
      return messageAnswer(404, `Domain not found: ${clip(reason.domain, 255)}`)
    case 'domain_inactive':
      return messageAnswer(403, `Domain ${reason.domain} is not allowed to send: ${reason.why}`)
    case 'from_mismatch':
      return messageAnswer(
        400,
        `from parameter is not valid: its domain ${clip(reason.fromDomain, 255)} is not ${reason.domain}, the domain of the path`,
      )
    case 'field_missing':
      return messageAnswer(400, `${reason.field} parameter is missing`)
    case 'body_missing':
      return messageAnswer(400, "Need at least one of 'text' or 'html' parameters specified")
    case 'address_invalid':
      return messageAnswer(
        400,
        `${spelt(reason.field)} parameter is not a valid address. please check documentation`,
      )
    case 'author_denied':
    case 'field_invalid':
      return messageAnswer(400, `${spelt(reason.field)} parameter is not valid: ${reason.detail}`)
    case 'attachment_invalid':
      return messageAnswer(400, `attachment number ${reason.index + 1} is not valid: ${reason.detail}`)
    case 'too_many_recipients':
      return messageAnswer(400, `Too many recipients, max is ${reason.max}`)
    case 'message_too_large':
      return messageAnswer(
        413,
        `message size ${inMegabytes(reason.found)} exceeds the limit of ${inMegabytes(reason.max)}`,
      )
    case 'options_too_large':
      return messageAnswer(
        400,
        `Send options (parameters starting with o:, h:, or v:) are limited to ${reason.max / 1024} kB total`,
      )
    case 'unsupported':
      return messageAnswer(400, `${spelt(reason.field)} parameter is not supported: ${reason.detail}`)
    case 'request_invalid':
    case 'body_malformed':
      return messageAnswer(400, reason.detail)
    case 'media_type_unsupported':
      return messageAnswer(415, reason.detail)
    case 'idempotency_key_invalid':
      return messageAnswer(400, reason.detail)
    case 'idempotency_conflict':
      return messageAnswer(409, 'This idempotency key was used with another request body')
    case 'unavailable':
      return messageAnswer(
        503,
        'The service cannot accept mail now. Nothing was accepted; please try again',
        {
          'retry-after': String(Math.max(1, Math.ceil(reason.retryAfter))),
        },
      )
    case 'rate_limited':
      return messageAnswer(
        429,
        `Too many requests: request limit of ${reason.limit} a second exceeded, try again in ${reason.retryAfter} s`,
        { 'retry-after': String(reason.retryAfter) },
      )
    case 'too_much_under_way':
      return {
        ...messageAnswer(
          429,
          'Too many requests are under way at once, wait for the answers of some of them; nothing was accepted of this one',
          { 'retry-after': String(reason.retryAfter) },
        ),
        heldFor: REFUSED_FOR,
      }
    case 'overloaded':
      return messageAnswer(
        503,
        'The service has as much under way as it can hold. Nothing was accepted; please try again',
        { 'retry-after': String(reason.retryAfter) },
      )
    case 'too_complex':
      return messageAnswer(
        413,
        `request takes more ${reason.cause} to be read than one request may take; send a smaller or simpler message`,
      )
    case 'body_too_large':
      return messageAnswer(413, `request size exceeds ${inMegabytes(reason.max)} limit`)
    case 'path_unknown':
    case 'email_unknown':
      return messageAnswer(404, 'Not Found')
    case 'method_unknown':
      return messageAnswer(405, `Method Not Allowed, allowed: ${reason.allow}`, { allow: reason.allow })
    case 'http_malformed':
      return messageAnswer(reason.status, reason.detail)
    case 'internal':
      return messageAnswer(500, `Internal Server Error (request id ${reason.requestId})`)
  }
}
