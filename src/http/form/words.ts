/** The form dialect's errors: status and sentence for each reason, in the sentences that its clients know. */
import { clip } from '../../common/clip.ts'
import { inactiveNext, keyWith } from '../../ingress/advice.ts'
import { place } from '../../ingress/client-address.ts'
import { type AnyReason, inMegabytes, type VerbRefusalCode } from '../../ingress/fault.ts'
import { utcDate } from '../../ingress/message-form/date.ts'
import { UNAVAILABLE, type Words, wordsFor } from '../../ingress/words.ts'
import { type Answer, JSON_TYPE, TEXT_TYPE } from '../answer.ts'
import { answerTo } from '../answer-to.ts'

const CHALLENGE = 'Basic realm="Postroad"'

export function formWords(reason: AnyReason): Answer {
  const [status, message] = wordsFor(WORDS, reason)
  // The only answer that is not JSON.
  if (status === 401) return answerTo(reason, { status, type: TEXT_TYPE, body: message }, CHALLENGE)
  return answerTo(reason, { status, type: JSON_TYPE, body: JSON.stringify({ message }) })
}

/** The form's names of the fields of a submission. */
const SPELLING: Readonly<Record<string, string>> = { reply_to: 'h:Reply-To' }

function spelt(field: string): string {
  // The intake names the header field within the submission.
  if (field.startsWith('headers.')) return clip(`h:${field.slice('headers.'.length)}`)
  return SPELLING[field] ?? clip(field)
}

type ErrorText = readonly [status: number, message: string]

const forbidden = (): ErrorText => [401, 'Forbidden']
const notFound = (): ErrorText => [404, 'Not Found']
const badRequest = ({ detail }: { detail: string }): ErrorText => [400, detail]
const notValid = ({ field, detail }: { field: string; detail: string }): ErrorText => [
  400,
  `${spelt(field)} parameter is not valid: ${detail}`,
]

/** The status of a verb's refusal. */
const REFUSED: Readonly<Record<VerbRefusalCode, number>> = {
  not_found: 404,
  already_exists: 400,
  invalid: 400,
  not_allowed: 403,
  nothing_to_do: 400,
  over_limit: 403,
  conflict: 409,
  unconfirmed: 409,
}

const WORDS: Words<ErrorText> = {
  key_missing: forbidden,
  key_invalid: forbidden,
  key_expired: forbidden,
  key_elsewhere: ({ address }) => [403, `This API key may not be used from ${place(address)}`],
  scope_missing: ({ scope }) => [403, `This API key lacks the ${scope} scope; ${keyWith(scope)}`],
  key_restricted: ({ domain }) => [
    403,
    `This API key may send only from ${domain}; set that domain in the client, or create a key without --domain`,
  ],
  domain_unknown: ({ domain }) => [404, `Domain not found: ${clip(domain, 255)}`],
  domain_inactive: ({ domain, why, cause }) => [
    403,
    `Domain ${domain} is not allowed to send: ${why}; ${inactiveNext({ domain, cause })}`,
  ],
  from_mismatch: ({ domain, fromDomain }) => [
    400,
    `from parameter is not valid: its domain ${clip(fromDomain, 255)} is not ${domain}, the domain of the path; ` +
      `to let ${domain} send for another domain of the same company: ` +
      `postroad domain update ${domain} --from ${clip(fromDomain, 255)}`,
  ],
  field_missing: ({ field }) => [400, `${field} parameter is missing`],
  body_missing: () => [400, "Need at least one of 'text' or 'html' parameters specified"],
  address_invalid: ({ field }) => [
    400,
    `${spelt(field)} parameter is not a valid address. please check documentation`,
  ],
  author_denied: notValid,
  field_invalid: notValid,
  attachment_invalid: ({ index, detail }) => [400, `attachment number ${index + 1} is not valid: ${detail}`],
  too_many_recipients: ({ max }) => [400, `Too many recipients, max is ${max}`],
  message_too_large: ({ found, max }) => [
    413,
    `message size ${inMegabytes(found)} exceeds the limit of ${inMegabytes(max)}`,
  ],
  mail_loop: ({ detail }) => [400, `message parameter is not valid: ${detail}`],
  options_too_large: ({ max }) => [
    400,
    `Send options (parameters starting with o:, h:, or v:) are limited to ${max / 1024} kB total`,
  ],
  unsupported: ({ field, detail }) => [400, `${spelt(field)} parameter is not supported: ${detail}`],
  request_invalid: badRequest,
  body_malformed: badRequest,
  media_type_unsupported: ({ detail }) => [415, detail],
  idempotency_key_invalid: badRequest,
  idempotency_conflict: () => [409, 'This idempotency key was used with another request body'],
  quota_exceeded: ({ domain, until }) => [
    429,
    `Domain ${domain} is not allowed to send: recipient limit exceeded, try again after ${utcDate(until)}`,
  ],
  unavailable: ({ of }) => [503, UNAVAILABLE[of]],
  rate_limited: ({ limit, retryAfter }) => [
    429,
    `Too many requests: request limit of ${limit} a second exceeded, try again in ${retryAfter} s`,
  ],
  person_refused: ({ status, detail }) => [status, detail],
  too_much_under_way: () => [
    429,
    'Too many requests are in progress: wait for some of them to be answered; this request was not accepted',
  ],
  overloaded: () => [503, 'The service is overloaded. Nothing was accepted; please try again'],
  too_complex: ({ cause }) => [
    413,
    `request takes more ${cause} to read than one request may use; send a smaller or simpler message`,
  ],
  body_too_large: ({ max }) => [413, `request size exceeds ${inMegabytes(max)} limit`],
  path_unknown: ({ advice }) => [404, `Not Found${advice ? `: ${advice}` : ''}`],
  email_unknown: notFound,
  operation_refused: ({ why, about, detail }) => {
    const noDomain = why === 'not_found' && about?.noun === 'domain'
    return [REFUSED[why], noDomain ? `Domain not found: ${clip(about.name, 255)}` : detail]
  },
  link_refused: ({ detail }) => [403, detail],
  method_unknown: ({ allow }) => [405, `Method Not Allowed, allowed: ${allow}`],
  http_malformed: ({ status, detail }) => [status, detail],
  internal: ({ requestId }) => [500, `Internal Server Error (request id ${requestId})`],
}
