/** The JSON dialect's errors: status, stable name and sentence for each reason. */

import { clip } from '../../common/clip.ts'
import { keyWith } from '../../ingress/advice.ts'
import { place } from '../../ingress/client-address.ts'
import { type AnyReason, inMegabytes, type VerbRefusalCode } from '../../ingress/fault.ts'
import { type Words, wordsFor } from '../../ingress/words.ts'
import type { About } from '../../operate/error.ts'
import type { Answer } from '../answer.ts'
import { COMMON_ERRORS, type ErrorFields, type ErrorName, errorAnswer } from '../error-body.ts'

const CHALLENGE = 'Bearer realm="Postroad"'

export function jsonWords(reason: AnyReason): Answer {
  return errorAnswer(reason, wordsFor(WORDS, reason), CHALLENGE)
}

/** The sentence alone. */
export function jsonMessage(reason: AnyReason): string {
  return wordsFor(WORDS, reason)[2]
}

/** The answer when one email of a strict batch refuses the whole batch. */
export function jsonWordsOfItem(reason: AnyReason, index: number): Answer {
  const [status, name, message] = wordsFor(WORDS, reason)
  return errorAnswer(reason, [status, name, `Email at index ${index}: ${message}`], CHALLENGE)
}

/** The same text for a domain that is unknown, another company's or not active: it must not reveal which. */
function notVerified(domain: string): ErrorFields {
  const name = clip(domain, 255)
  return [
    403,
    'validation_error',
    `The \`${name}\` domain is not verified. Please, add and verify your domain`,
  ]
}

function invalidField(status: 403 | 422, field: string, detail: string): ErrorFields {
  return [status, 'validation_error', `Invalid \`${clip(field)}\` field. ${sentence(detail)}`]
}

/** The status and name of a verb's refusal. */
const REFUSED: Readonly<Record<VerbRefusalCode, readonly [status: number, name: ErrorName]>> = {
  not_found: [404, 'not_found'],
  already_exists: [409, 'validation_error'],
  invalid: [422, 'validation_error'],
  not_allowed: [403, 'restricted_api_key'],
  nothing_to_do: [422, 'validation_error'],
  over_limit: [403, 'validation_error'],
  conflict: [409, 'validation_error'],
  unconfirmed: [409, 'validation_error'],
}

const NOUNS: Readonly<Record<About['noun'], string>> = {
  company: 'Company',
  domain: 'Domain',
  key: 'API key',
  email: 'Email',
  suppression: 'Suppression',
  webhook: 'Webhook',
  webhook_event: 'Webhook event',
}

/** The refusal of a verb, in the sentence that this dialect's clients know, if there is one. */
function operationRefused({
  why,
  about,
  detail,
}: Extract<AnyReason, { code: 'operation_refused' }>): ErrorFields {
  if (why === 'not_found' && about) return [...REFUSED[why], `${NOUNS[about.noun]} not found`]
  if (why === 'already_exists' && about?.noun === 'domain') {
    return [403, 'validation_error', `The \`${about.name}\` domain has been registered already.`]
  }
  return [...REFUSED[why], sentence(detail)]
}

const WORDS: Words<ErrorFields> = {
  ...COMMON_ERRORS,
  key_missing: () => [401, 'missing_api_key', 'Missing API key in the authorization header'],
  key_invalid: () => [401, 'invalid_api_key', 'API key is invalid'],
  key_expired: () => [401, 'invalid_api_key', 'API key is invalid: it has expired'],
  key_elsewhere: ({ address }) => [
    403,
    'restricted_api_key',
    `This API key may not be used from ${place(address)}`,
  ],
  scope_missing: ({ scope }) => [
    403,
    'restricted_api_key',
    `This API key lacks the \`${scope}\` scope; ${keyWith(scope)}`,
  ],
  key_restricted: ({ domain }) => [
    403,
    'restricted_api_key',
    `This API key may send only from the \`${domain}\` domain; send from there, or create a key without --domain`,
  ],
  domain_unknown: ({ domain }) => notVerified(domain),
  domain_inactive: ({ domain, why, cause }) =>
    cause === 'disabled'
      ? [403, 'validation_error', `The \`${clip(domain, 255)}\` domain may not send: ${why}`]
      : notVerified(domain),
  from_mismatch: ({ fromDomain }) => notVerified(fromDomain),
  field_missing: ({ field }) => [422, 'missing_required_field', `Missing \`${field}\` field.`],
  body_missing: () => [422, 'validation_error', 'Missing `html` or `text` field.'],
  address_invalid: ({ field, detail }) => invalidField(422, field, detail),
  author_denied: ({ field, detail }) => invalidField(403, field, detail),
  field_invalid: ({ field, detail }) => invalidField(422, field, detail),
  attachment_invalid: ({ index, detail }) => [
    422,
    'invalid_attachment',
    `Invalid attachment at index ${index}: ${detail}`,
  ],
  too_many_recipients: ({ found, max }) => [
    422,
    'validation_error',
    `Too many recipients: ${found} in \`to\`, \`cc\` and \`bcc\` together, at most ${max} are allowed.`,
  ],
  message_too_large: ({ found, max }) => [
    413,
    'validation_error',
    `The composed message would have ${inMegabytes(found)}; the limit is ${inMegabytes(max)}.`,
  ],
  mail_loop: ({ detail }) => [422, 'validation_error', `The message cannot be sent: ${detail}.`],
  options_too_large: ({ max }) => [
    422,
    'validation_error',
    `The send options are limited to ${max} octets in total.`,
  ],
  unsupported: ({ field, detail }) => [
    422,
    'validation_error',
    `\`${clip(field)}\` is not supported: ${detail}`,
  ],
  request_invalid: ({ detail }) => [422, 'validation_error', detail],
  idempotency_key_invalid: ({ detail }) => [400, 'invalid_idempotency_key', sentence(detail)],
  idempotency_conflict: () => [
    409,
    'invalid_idempotent_request',
    'This idempotency key was used within the last 24 hours with another request body. Use a new key, or send the same body.',
  ],
  quota_exceeded: ({ which }) => [
    429,
    which === 'daily' ? 'daily_quota_exceeded' : 'monthly_quota_exceeded',
    `You have exceeded your ${which} email sending quota.`,
  ],
  rate_limited: ({ of, limit, retryAfter }) => [
    429,
    'rate_limit_exceeded',
    `Too many requests. This ${of === 'key' ? 'API key' : 'company'} may make ${limit} requests per second; try again in ${retryAfter} s.`,
  ],
  person_refused: ({ status, detail }) => [status, 'restricted_api_key', sentence(detail)],
  too_much_under_way: () => [
    429,
    'rate_limit_exceeded',
    'Too many requests are in progress. Wait for some of them to be answered; this request was not accepted.',
  ],
  overloaded: () => [
    503,
    'application_error',
    'The service is overloaded. Nothing was accepted; please try again.',
  ],
  too_complex: ({ cause }) => [
    413,
    'validation_error',
    `Reading this request takes more ${cause} than one request may use. Nothing was accepted; send a smaller or simpler message.`,
  ],
  body_too_large: ({ max, messageMax }) => [
    413,
    'validation_error',
    `The request body is over the limit of ${inMegabytes(max)}.` +
      (messageMax === null ? '' : ` The limit of a composed message is ${inMegabytes(messageMax)}.`),
  ],
  body_malformed: ({ detail }) => [400, 'validation_error', detail],
  media_type_unsupported: ({ detail }) => [415, 'validation_error', detail],
  operation_refused: operationRefused,
  link_refused: ({ detail }) => [403, 'invalid_access', sentence(detail)],
  email_unknown: () => [404, 'not_found', 'Email not found'],
}

/** Turns `detail` into a sentence. */
function sentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
