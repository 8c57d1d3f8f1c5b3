/** Settings of the section "Limits": memory, sizes and rates. */
import { durationWithin, integerWithin, sizeWithin } from '../parse/quantity.ts'
import { setting } from '../setting.ts'

export const LIMIT_SETTINGS = {
  POSTROAD_MEMORY: setting({
    section: 'Limits',
    field: 'memory',
    parse: sizeWithin('300MB', '1TB'),
    default: '600MB',
    allowed:
      '300MB to 1TB; at least enough for one message of POSTROAD_MAX_MESSAGE_SIZE: about 150 MB plus six times its size',
    description:
      'Memory that the process may use. It sets the limits for everything that grows with load: connections, concurrent requests, their bodies, mail being delivered. Beyond a limit, work waits or is answered with 429 or 503 and `retry-after`. More memory lets more large messages be processed at once.',
    example: '400MB',
  }),
  POSTROAD_MAX_MESSAGE_SIZE: setting({
    section: 'Limits',
    field: 'maxMessageSize',
    parse: sizeWithin('1KB', '1GB'),
    default: '40MB',
    allowed: '1KB to 1GB; a KB is 1,024 octets',
    description: 'Largest composed message. A request that would compose to more is refused with 413.',
    example: '25MB',
  }),
  POSTROAD_MAX_RECIPIENTS: setting({
    section: 'Limits',
    field: 'maxRecipients',
    parse: integerWithin(1, 100_000),
    default: '1000',
    allowed: '1 to 100000',
    description: 'Most recipients of one email, in to, cc and bcc together.',
    example: '50',
  }),
  POSTROAD_RATE_LIMIT: setting({
    section: 'Limits',
    field: 'rateLimit',
    parse: (text) => (text.toLowerCase() === 'none' ? null : integerWithin(1, 1_000_000)(text)),
    default: 'none',
    allowed: '`none`, or 1 to 1000000 requests per second',
    description:
      'Requests per second that one API key may make; further requests are answered with 429 and `retry-after`.',
    example: '100',
  }),
  POSTROAD_REQUEST_TIMEOUT: setting({
    section: 'Limits',
    field: 'requestTimeout',
    parse: durationWithin('1s', '1h'),
    default: '60s',
    allowed: '1s to 1h',
    description: 'Longest time that a client may take to send one request.',
    example: '120s',
  }),
}
