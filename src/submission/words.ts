/** Any refusal there is as a reply. 4yz where the same message may be taken later, 5yz where it never will be. */
import { place } from '../http/client-address.ts'
import { type AnyReason, clip, inMegabytes } from '../http/fault.ts'
import { type Reply, reply } from './reply.ts'

/** What the fields of a submission are called here. */
const SPELLING: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'RCPT',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'Reply-To',
  message: 'the message',
}

const spelt = (field: string) => SPELLING[field] ?? clip(field)

export function smtpWords(reason: AnyReason): Reply {
  switch (reason.code) {
    case 'key_missing':
      return reply(530, '5.7.0', 'Log in first, with any user name and an API key as password')
    case 'key_invalid':
      return reply(535, '5.7.8', 'The password is not a valid API key; create one with `postroad key create`')
    case 'key_expired':
      return reply(535, '5.7.8', 'The API key has expired; create another one')
    case 'key_elsewhere':
      return reply(535, '5.7.8', `This API key may not be used from ${place(reason.address)}`)
    case 'scope_missing':
      return reply(550, '5.7.1', `This API key lacks the ${reason.scope} scope`)
    case 'key_restricted':
      return reply(550, '5.7.1', `This API key may send only from ${reason.domain}`)
    case 'domain_unknown':
      return reply(
        550,
        '5.7.1',
        `${clip(reason.domain, 255)} is not a domain that you may send from; add and verify it first`,
      )
    case 'domain_inactive':
      return reply(550, '5.7.1', `The domain ${reason.domain} may not send: ${reason.why}`)
    case 'from_mismatch':
      return reply(
        550,
        '5.7.1',
        `From is at ${clip(reason.fromDomain, 255)}, and you are logged in for ${reason.domain}; log in with the user name ` +
          `api@${clip(reason.fromDomain, 255)} to send from there`,
      )
    case 'field_missing':
      return reply(550, '5.6.0', `${spelt(reason.field)} is missing`)
    case 'body_missing':
      return reply(550, '5.6.0', 'The message is empty')
    case 'address_invalid':
      return reason.field === 'to'
        ? reply(553, '5.1.3', `The address cannot be used: ${reason.detail}`)
        : reply(550, '5.6.0', `${spelt(reason.field)} cannot be used: ${reason.detail}`)
    case 'author_denied':
      return reply(550, '5.7.1', `The message cannot be sent: ${reason.detail}`)
    case 'field_invalid':
      return reply(550, '5.6.0', `${spelt(reason.field)} cannot be used: ${reason.detail}`)
    case 'attachment_invalid':
      return reply(550, '5.6.0', `Attachment number ${reason.index + 1} cannot be sent: ${reason.detail}`)
    case 'too_many_recipients':
      return reply(550, '5.5.3', `There are too many recipients, ${reason.max} are allowed`)
    case 'message_too_large':
    case 'body_too_large':
      return reply(552, '5.3.4', `The message is larger than ${inMegabytes(reason.max)}`)
    case 'options_too_large':
      return reply(550, '5.6.0', `The X-Mailgun fields have more than ${reason.max / 1024} KB together`)
    case 'unsupported':
      return reply(550, '5.6.0', `${spelt(reason.field)} is not supported: ${reason.detail}`)
    case 'request_invalid':
    case 'body_malformed':
    case 'media_type_unsupported':
    case 'idempotency_key_invalid':
      return reply(550, '5.6.0', reason.detail)
    case 'idempotency_conflict':
      return reply(550, '5.6.0', 'This idempotency key was used with another message')
    case 'unavailable':
      return reply(451, '4.3.0', 'Nothing can be accepted now, and nothing was; try again later')
    case 'rate_limited':
      return reply(
        450,
        '4.7.1',
        `This API key may send ${reason.limit} messages a second; try again in ${reason.retryAfter} s`,
      )
    case 'too_much_under_way':
      return reply(
        451,
        '4.3.2',
        'Too much of your company is under way at once; send less at a time, and try again later',
      )
    case 'overloaded':
      return reply(451, '4.3.2', 'There is as much under way as there is room for; try again later')
    case 'too_complex':
      return reply(
        550,
        '5.6.0',
        `The message takes more ${reason.cause} to be read than one may take; send a smaller or simpler one`,
      )
    case 'http_malformed':
      return reply(451, '4.4.2', reason.detail)
    case 'internal':
      return reply(451, '4.3.0', `Something went wrong here (session ${reason.requestId}); try again later`)
    case 'path_unknown':
    case 'method_unknown':
    case 'email_unknown':
      return reply(550, '5.5.0', 'There is no such thing here')
  }
}

/** The same, to somebody who logs in (RFC 4954 6). */
export function loginWords(reason: AnyReason): Reply {
  const { code, text } = smtpWords(reason)
  return code < 500 ? reply(454, '4.7.0', text) : reply(535, '5.7.8', text)
}
