/** SMTP replies for all reasons of refusal: 4yz if the same message may be accepted later, 5yz if it never will be. */
import { clip } from '../common/clip.ts'
import { domainForCommand, inactiveNext, keyWith } from '../ingress/advice.ts'
import { place } from '../ingress/client-address.ts'
import { type AnyReason, inMegabytes } from '../ingress/fault.ts'
import { type Words, wordsFor } from '../ingress/words.ts'
import { reply, type SubmissionReply } from './reply.ts'

/** The names of a submission's fields in SMTP. */
const SPELLING: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'RCPT',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'Reply-To',
  message: 'the message',
}

const spelt = (field: string) => SPELLING[field] ?? clip(field)

/** RFC 4954 6. */
const badKey = (text: string) => reply(535, '5.7.8', text)
/** RFC 3463 3.8: another sender would be allowed. */
const denied = (text: string) => reply(550, '5.7.1', text)
/** RFC 3463 3.7: the fault is in the message. */
const wrong = (text: string) => reply(550, '5.6.0', text)
const asItIs = ({ detail }: { detail: string }) => wrong(detail)
const notUsable = ({ field, detail }: { field: string; detail: string }) =>
  wrong(`${spelt(field)} cannot be used: ${detail}`)
const tooLarge = ({ max }: { max: number }) =>
  reply(
    552,
    '5.3.4',
    `The message is larger than the limit of ${inMegabytes(max)} (POSTROAD_MAX_MESSAGE_SIZE)`,
  )
const busy = (text: string) => reply(451, '4.3.2', text)
const nowhere = () => reply(550, '5.5.0', 'Not found')

const WORDS: Words<SubmissionReply> = {
  // Over SMTP, only logins with a password are refused for this reason.
  person_refused: ({ detail }) => busy(detail),
  key_missing: () => reply(530, '5.7.0', 'Log in first, with any user name and an API key as password'),
  key_invalid: () =>
    badKey(
      'The password is neither a valid API key nor the password of this user name; create a key with `postroad key create`',
    ),
  key_expired: () => badKey('The API key has expired; create a new one'),
  key_elsewhere: ({ address }) => badKey(`This API key may not be used from ${place(address)}`),
  scope_missing: ({ scope }) => denied(`This API key lacks the ${scope} scope; ${keyWith(scope)}`),
  key_restricted: ({ domain }) =>
    denied(
      `This API key may send only from ${domain}; set a From address there, or create a key without --domain`,
    ),
  domain_unknown: ({ domain }) =>
    denied(
      `${clip(domain, 255)} is not a domain that you may send from; add and verify it first (postroad domain add ` +
        `${domainForCommand(domain)}), or set another From address`,
    ),
  domain_inactive: ({ domain, why, cause }) =>
    denied(`The domain ${domain} may not send: ${why}; ${inactiveNext({ domain, cause })}`),
  from_mismatch: ({ domain, fromDomain }) =>
    denied(
      `From is at ${clip(fromDomain, 255)}, but the user name is for ${domain}; log in as api@${clip(fromDomain, 255)}, or let ` +
        `${domain} send for it: postroad domain update ${domain} --from ${clip(fromDomain, 255)}`,
    ),
  field_missing: ({ field }) => wrong(`${spelt(field)} is missing`),
  body_missing: () => wrong('The message is empty'),
  address_invalid: ({ field, detail }) => {
    if (field === 'to') return reply(553, '5.1.3', `The address cannot be used: ${detail}`)
    const next =
      field === 'from' ? '; set the From address in the application to one at your sending domain' : ''
    return notUsable({ field, detail: detail + next })
  },
  author_denied: ({ detail }) => denied(`The message cannot be sent: ${detail}`),
  field_invalid: notUsable,
  attachment_invalid: ({ index, detail }) =>
    wrong(`Attachment number ${index + 1} cannot be sent: ${detail}`),
  too_many_recipients: ({ max }) => reply(550, '5.5.3', `Too many recipients; at most ${max} are allowed`),
  message_too_large: tooLarge,
  body_too_large: tooLarge,
  // RFC 5321 6.3, RFC 3463 3.5.
  mail_loop: ({ detail }) => reply(554, '5.4.6', `The message cannot be sent: ${detail}`),
  options_too_large: ({ max }) => wrong(`The X-Mailgun fields have more than ${max / 1024} KB in total`),
  unsupported: ({ field, detail }) => wrong(`${spelt(field)} is not supported: ${detail}`),
  request_invalid: asItIs,
  body_malformed: asItIs,
  media_type_unsupported: asItIs,
  idempotency_key_invalid: asItIs,
  idempotency_conflict: () => wrong('This idempotency key was used with another message'),
  quota_exceeded: ({ which, limit }) =>
    reply(
      452,
      '4.7.1',
      `The ${which} limit of ${limit} recipients would be exceeded; try again when the next ` +
        `${which === 'daily' ? 'day' : 'month'} begins (UTC)`,
    ),
  unavailable: () =>
    reply(451, '4.3.0', 'The service cannot accept mail now; nothing was accepted; try again later'),
  rate_limited: ({ of, limit, retryAfter }) =>
    reply(
      450,
      '4.7.1',
      `This ${of === 'key' ? 'API key' : 'company'} may send ${limit} messages per second; try again in ${retryAfter} s`,
    ),
  too_much_under_way: () =>
    busy('Your company has too many messages in progress; send fewer at a time, and try again later'),
  overloaded: () => busy('The service is overloaded; try again later'),
  too_complex: ({ cause }) =>
    wrong(`The message takes more ${cause} to read than one message may use; send a smaller or simpler one`),
  http_malformed: ({ detail }) => reply(451, '4.4.2', detail),
  internal: ({ requestId }) =>
    reply(451, '4.3.0', `An unexpected error occurred (session ${requestId}); try again later`),
  path_unknown: nowhere,
  method_unknown: nowhere,
  email_unknown: nowhere,
  operation_refused: asItIs,
  link_refused: nowhere,
}

export function smtpWords(reason: AnyReason): SubmissionReply {
  return wordsFor(WORDS, reason)
}

/** The replies of the listener for returned mail, whose clients belong to no company. */
export function returnedMailWords(reason: AnyReason): SubmissionReply {
  if (reason.code === 'message_too_large') {
    return reply(552, '5.3.4', `A bounce or report may have at most ${inMegabytes(reason.max)} here`)
  }
  if (reason.code !== 'too_much_under_way') return smtpWords(reason)
  return busy('Too much returned mail is under way here; try again later')
}

/** The reply to AUTH (RFC 4954 6). */
export function loginWords(reason: AnyReason): SubmissionReply {
  const { code, text } = smtpWords(reason)
  return code < 500 ? reply(454, '4.7.0', text) : badKey(String(text))
}
