/** Errors for the page: status, stable code and a sentence for the user, for each reason. */
import type { Static } from 'typebox'
import { type AnyReason, inMegabytes, type VerbRefusalCode } from '../../ingress/fault.ts'
import { UNAVAILABLE, type Words, wordsFor } from '../../ingress/words.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { answerTo } from '../answer-to.ts'
import { COMMON_ERRORS } from '../error-body.ts'
import type { CONSOLE_ERROR } from './contract/error.ts'

type ErrorWords = readonly [status: number, code: string, message: string, field?: string]

export function consoleWords(reason: AnyReason): Answer {
  const [status, code, message, field] = wordsFor(WORDS, reason)
  const error = { code, message, ...(field !== undefined && { field }) }
  const body = JSON.stringify({ error } satisfies Static<typeof CONSOLE_ERROR>)
  return answerTo(reason, { status, type: JSON_TYPE, body })
}

const REFUSED: Readonly<Record<VerbRefusalCode, number>> = {
  not_found: 404,
  already_exists: 409,
  invalid: 422,
  not_allowed: 403,
  nothing_to_do: 409,
  over_limit: 409,
  conflict: 409,
  unconfirmed: 409,
}

/** Turns a text into a sentence. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** The common error, without the name that clients of the JSON dialect know. */
function common<Code extends keyof typeof COMMON_ERRORS>(code: Code, shown: string) {
  return (reason: Extract<AnyReason, { code: Code }>): ErrorWords => {
    const [status, , message] = (
      COMMON_ERRORS[code] as (reason: AnyReason) => readonly [number, string, string]
    )(reason)
    return [status, shown, message]
  }
}

const KEY: ErrorWords = [401, 'key_invalid', 'This API key does not work.']

const WORDS: Words<ErrorWords> = {
  path_unknown: common('path_unknown', 'not_found'),
  method_unknown: common('method_unknown', 'method_unknown'),
  unavailable: ({ of }) => [503, 'unavailable', `${UNAVAILABLE[of]}.`],
  http_malformed: common('http_malformed', 'malformed'),
  internal: common('internal', 'internal'),
  person_refused: ({ status, why, detail }) => [status, why, sentence(detail)],
  key_missing: () => KEY,
  key_invalid: () => KEY,
  key_expired: () => [401, 'key_invalid', 'This API key has expired.'],
  key_elsewhere: () => [403, 'key_invalid', 'This API key may not be used from here.'],
  scope_missing: ({ scope }) => [403, 'not_allowed', `This requires the scope ${scope}.`],
  key_restricted: ({ domain }) => [403, 'not_allowed', `Mail may be sent from ${domain} only.`],
  domain_unknown: ({ domain }) => [422, 'invalid', `${domain} is not a domain of this company.`, 'from'],
  domain_inactive: ({ why }) => [422, 'invalid', sentence(why), 'from'],
  from_mismatch: ({ domain }) => [422, 'invalid', `The sender address is not at ${domain}.`, 'from'],
  field_missing: ({ field }) => [422, 'invalid', 'This is required.', field],
  body_missing: () => [422, 'invalid', 'A message needs text or HTML.', 'text'],
  address_invalid: ({ field, detail }) => [422, 'invalid', sentence(detail), field],
  author_denied: ({ field, detail }) => [422, 'invalid', sentence(detail), field],
  field_invalid: ({ field, detail }) => [422, 'invalid', sentence(detail), field],
  attachment_invalid: ({ detail }) => [422, 'invalid', sentence(detail), 'attachments'],
  too_many_recipients: ({ max, found }) => [
    422,
    'invalid',
    `There are ${found} recipients; ${max} are allowed.`,
    'to',
  ],
  message_too_large: ({ max }) => [413, 'too_large', `A message may have at most ${inMegabytes(max)}.`],
  mail_loop: ({ detail }) => [422, 'invalid', sentence(detail)],
  options_too_large: ({ max }) => [422, 'invalid', `Options may have at most ${max} octets in total.`],
  unsupported: ({ field, detail }) => [422, 'invalid', sentence(detail), field],
  idempotency_key_invalid: ({ detail }) => [400, 'invalid', sentence(detail)],
  idempotency_conflict: () => [409, 'conflict', 'This was already sent with different content.'],
  quota_exceeded: ({ which, limit }) => [
    429,
    'quota_exceeded',
    `The ${which} quota of ${limit} recipients is used up.`,
  ],
  rate_limited: ({ retryAfter }) => [429, 'too_many_requests', `Try again in ${Math.ceil(retryAfter)} s.`],
  too_much_under_way: () => [
    429,
    'too_many_requests',
    'Too many requests are in progress. Try again in a moment.',
  ],
  overloaded: () => [503, 'overloaded', 'The service is overloaded. Try again in a moment.'],
  too_complex: () => [422, 'too_complex', 'This takes more memory or time to read than one request may use.'],
  body_too_large: ({ max }) => [413, 'too_large', `This is larger than ${inMegabytes(max)}.`],
  body_malformed: ({ detail }) => [400, 'malformed', sentence(detail)],
  media_type_unsupported: ({ detail }) => [415, 'malformed', sentence(detail)],
  request_invalid: ({ detail }) => [422, 'invalid', sentence(detail)],
  email_unknown: () => [404, 'not_found', 'No email matches.'],
  link_refused: ({ detail }) => [404, 'not_found', sentence(detail)],
  operation_refused: ({ why, detail }) => [REFUSED[why], why, sentence(detail)],
}
