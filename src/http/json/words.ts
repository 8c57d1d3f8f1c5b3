/** The JSON dialect's words: every reason there is, as status, stable name and sentence. */
import type { Answer } from '../answer.ts'
import { place } from '../client-address.ts'
import { errorAnswer } from '../error-body.ts'
import { type AnyReason, clip, inMegabytes, REFUSED_FOR } from '../fault.ts'

/** RFC 9110 11.6.1: a 401 names the scheme it wants. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="Postroad"' }

/** One text for a domain that is unknown, another company's or not active: it must not tell which. */
function notVerified(domain: string): string {
  return `The \`${clip(domain, 255)}\` domain is not verified. Please, add and verify your domain`
}

export function jsonWords(reason: AnyReason): Answer {
  switch (reason.code) {
    case 'key_missing':
      return errorAnswer(401, 'missing_api_key', 'Missing API key in the authorization header', CHALLENGE)
    case 'key_invalid':
      return errorAnswer(401, 'invalid_api_key', 'API key is invalid', CHALLENGE)
    case 'key_expired':
      return errorAnswer(401, 'invalid_api_key', 'API key is invalid: it has expired', CHALLENGE)
    case 'key_elsewhere':
      return errorAnswer(
        403,
        'restricted_api_key',
        `This API key may not be used from ${place(reason.address)}`,
      )
    case 'scope_missing':
      return errorAnswer(403, 'restricted_api_key', `This API key lacks the \`${reason.scope}\` scope`)
    case 'key_restricted':
      return errorAnswer(
        403,
        'restricted_api_key',
        `This API key may send only from the \`${reason.domain}\` domain`,
      )
    case 'domain_unknown':
    case 'domain_inactive':
      return errorAnswer(403, 'validation_error', notVerified(reason.domain))
    case 'from_mismatch':
      return errorAnswer(403, 'validation_error', notVerified(reason.fromDomain))
    case 'field_missing':
      return errorAnswer(422, 'missing_required_field', `Missing \`${reason.field}\` field.`)
    case 'body_missing':
      return errorAnswer(422, 'validation_error', 'Missing `html` or `text` field.')
    case 'address_invalid':
      return errorAnswer(
        422,
        'validation_error',
        `Invalid \`${reason.field}\` field. ${sentence(reason.detail)}`,
      )
    case 'author_denied':
    case 'field_invalid':
      return errorAnswer(
        reason.code === 'author_denied' ? 403 : 422,
        'validation_error',
        `Invalid \`${clip(reason.field)}\` field. ${sentence(reason.detail)}`,
      )
    case 'attachment_invalid':
      return errorAnswer(
        422,
        'invalid_attachment',
        `Invalid attachment at index ${reason.index}: ${reason.detail}`,
      )
    case 'too_many_recipients':
      return errorAnswer(
        422,
        'validation_error',
        `Too many recipients: ${reason.found} in \`to\`, \`cc\` and \`bcc\` together, at most ${reason.max} are allowed.`,
      )
    case 'message_too_large':
      return errorAnswer(
        413,
        'validation_error',
        `The message would have ${inMegabytes(reason.found)} when composed; the limit is ${inMegabytes(reason.max)}.`,
      )
    case 'options_too_large':
      return errorAnswer(
        422,
        'validation_error',
        `The send options are limited to ${reason.max} octets in total.`,
      )
    case 'unsupported':
      return errorAnswer(
        422,
        'validation_error',
        `\`${clip(reason.field)}\` is not supported: ${reason.detail}`,
      )
    case 'request_invalid':
      return errorAnswer(422, 'validation_error', reason.detail)
    case 'idempotency_key_invalid':
      return errorAnswer(400, 'invalid_idempotency_key', sentence(reason.detail))
    case 'idempotency_conflict':
      return errorAnswer(
        409,
        'invalid_idempotent_request',
        'This idempotency key was used within the last 24 hours with another request body. Use a new key, or send the same body.',
      )
    case 'unavailable':
      return errorAnswer(
        503,
        'application_error',
        'The service cannot accept mail now. Nothing was accepted; please try again.',
        { 'retry-after': String(Math.max(1, Math.ceil(reason.retryAfter))) },
      )
    case 'rate_limited':
      return errorAnswer(
        429,
        'rate_limit_exceeded',
        `Too many requests. This API key may make ${reason.limit} a second; try again in ${reason.retryAfter} s.`,
        { 'retry-after': String(reason.retryAfter) },
      )
    case 'too_much_under_way':
      return {
        ...errorAnswer(
          429,
          'rate_limit_exceeded',
          'Too many requests are under way at once. Wait for the answers of some of them; nothing was accepted of this one.',
          { 'retry-after': String(reason.retryAfter) },
        ),
        heldFor: REFUSED_FOR,
      }
    case 'overloaded':
      return errorAnswer(
        503,
        'application_error',
        'The service has as much under way as it can hold. Nothing was accepted; please try again.',
        { 'retry-after': String(reason.retryAfter) },
      )
    case 'too_complex':
      return errorAnswer(
        413,
        'validation_error',
        `Reading this request takes more ${reason.cause} than one request may take. Nothing was accepted; send a smaller or simpler message.`,
      )
    case 'body_too_large':
      return errorAnswer(
        413,
        'validation_error',
        `The request body is over the limit of ${inMegabytes(reason.max)}. The limit of a composed message is ${inMegabytes(reason.messageMax)}.`,
      )
    case 'body_malformed':
      return errorAnswer(400, 'validation_error', reason.detail)
    case 'media_type_unsupported':
      return errorAnswer(415, 'validation_error', reason.detail)
    case 'path_unknown':
      return errorAnswer(404, 'not_found', 'The requested endpoint does not exist')
    case 'method_unknown':
      return errorAnswer(
        405,
        'method_not_allowed',
        `Method is not allowed for the requested path; allowed: ${reason.allow}`,
        { allow: reason.allow },
      )
    case 'email_unknown':
      return errorAnswer(404, 'not_found', 'Email not found')
    case 'http_malformed':
      return errorAnswer(reason.status, 'validation_error', reason.detail)
    case 'internal':
      return errorAnswer(
        500,
        'internal_server_error',
        `An unexpected error occurred. The service's log tells more under request id ${reason.requestId}.`,
      )
  }
}

/** `detail` as a sentence of its own. */
function sentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
