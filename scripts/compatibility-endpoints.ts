/**
 * The endpoints of the two services whose clients are served, as their references and clients have them. Whether one is
 * here is read from docs/openapi.json; what stands here is what differs, or why there is none.
 */

/** `because`: where it is not here. `differs`: where it is. */
export interface Known {
  /** Parameters as `{}`. */
  endpoint: string
  because: string
  differs?: string
}

const YET = 'not built yet'
const MARKETING = 'for marketing: lists of contacts and mail to them are kept by the application'
const TEMPLATES = 'no templates are kept: an application sends the finished html or text'
const INBOUND = 'receives mail; this service sends'
const CONSOLE = 'for people at a screen; the command line shows it'
const HOSTED = 'about an account at a hosted service'
const IPS = 'the addresses mail leaves from are those of the machine or its relay'

const all = (because: string, ...endpoints: string[]): Known[] =>
  endpoints.map((endpoint) => ({ endpoint, because }))

/** Those that are here, with what differs. */
const here = (differs: string, ...endpoints: string[]): Known[] =>
  endpoints.map((endpoint) => ({ endpoint, because: YET, differs }))

export const RESEND: Known[] = [
  {
    endpoint: 'POST /emails',
    because: YET,
    differs: 'up to 1,000 recipients, where the original takes 50; see its fields below',
  },
  ...all(YET, 'POST /email', 'POST /emails/batch'),
  {
    endpoint: 'GET /emails',
    because: YET,
    differs:
      'with filters beyond `limit`, `after` and `before`; by `from`, `subject` or `event` alone a page may ' +
      'have fewer than `limit`, and says in `next` where to go on',
  },
  {
    endpoint: 'GET /emails/{}',
    because: YET,
    differs:
      '`html` and `text` are texts, empty where there is none; no `topic_id`; shows mail of both dialects',
  },
  ...all(
    YET,
    ...[
      'PATCH /emails/{}',
      'POST /emails/{}/cancel',
      'GET /emails/{}/attachments',
      'GET /emails/{}/attachments/{}',
    ],
  ),
  ...all(CONSOLE, 'POST /emails/{}/share', 'GET /emails/metrics', 'GET /logs', 'GET /logs/{}', 'GET /usage'),
  {
    endpoint: 'POST /domains',
    because: YET,
    differs:
      '`region` is taken and passed over; `tls: enforced`, `tracking_subdomain`, receiving and a `custom_return_path` of ' +
      'its own are refused; `capabilities.sending` set to disabled refuses new mail, and what was accepted before still ' +
      'leaves; settings of tracking are kept, and nothing is tracked; a name that another company has may be ' +
      'asked for as well, and is not told of',
  },
  {
    endpoint: 'GET /domains/{}',
    because: YET,
    differs:
      'records have their full names; there is no MX record, for bounces come to the address in `from`',
  },
  {
    endpoint: 'POST /domains/{}/verify',
    because: YET,
    differs:
      'answers when DNS has answered; 409 where the records are right and another company sends from the domain already',
  },
  {
    endpoint: 'DELETE /domains/{}',
    because: YET,
    differs: 'mail that waits from the domain fails when its time comes; API keys for it alone are revoked',
  },
  {
    endpoint: 'POST /api-keys',
    because: YET,
    differs:
      'a key gives no more than it has; `sending_access` is the scope sending, `full_access` all three, neither what its maker has',
  },
  {
    endpoint: 'GET /api-keys',
    because: YET,
    differs: '`last_used_at` is null: when a key was used is not kept',
  },
  {
    endpoint: 'GET /suppressions',
    because: YET,
    differs: 'who unsubscribed is there with the origin `manual`',
  },
  {
    endpoint: 'POST /webhooks',
    because: YET,
    differs:
      'events of emails are sent, and `email.canceled` beside them; the other documented ones (`email.received`, `contact.*`, `domain.*`, ' +
      '`suppression.*`, `topic.*`, `inbox.*`) are kept and shown, and never sent; an unknown name is a 422',
  },
  {
    endpoint: 'GET /webhooks',
    because: YET,
    differs:
      'without those that are told in the words of the form dialect (`webhook add --dialect form`, `/v3/domains/{domain}/webhooks`), which no route of `/webhooks` knows',
  },
  {
    endpoint: 'POST /webhooks/{}/signing-secret/rotate',
    because: YET,
    differs: 'the secret before signs too for a day',
  },
  {
    endpoint: 'GET /webhooks/{}/events',
    because: YET,
    differs:
      'those of which tries are kept: the last 1,000 that were taken, and for 30 days those that were not',
  },
  {
    endpoint: 'GET /webhooks/{}/events/{}',
    because: YET,
    differs: '`status` is `unknown` where no try is kept: it was taken or given up long ago, or never told',
  },
  {
    endpoint: 'GET /webhooks/{}/events/{}/attempts',
    because: YET,
    differs: '`http_status_code` is 0 where there was no answer, and `response` says why',
  },
  ...all(
    YET,
    ...['GET /domains', 'PATCH /domains/{}', 'PATCH /api-keys/{}', 'DELETE /api-keys/{}'],
    ...['GET /webhooks/{}', 'PATCH /webhooks/{}', 'DELETE /webhooks/{}'],
    'POST /webhooks/{}/events/{}/replay',
    ...['POST /suppressions', 'GET /suppressions/{}', 'DELETE /suppressions/{}'],
    ...['POST /suppressions/batch/add', 'POST /suppressions/batch/remove'],
  ),
  ...all(TEMPLATES, '/templates'),
  ...all(MARKETING, '/contacts', '/audiences', '/segments', '/topics', '/broadcasts', '/contact-properties'),
  ...all('runs workflows; the application decides what it sends', '/automations', '/events'),
  ...all(INBOUND, '/emails/receiving', '/inboxes'),
  ...all(HOSTED, '/oauth'),
  ...all(
    'a name that another company has is asked for by `POST /domains`, and is whose the records in DNS are',
    ...['POST /domains/claim', 'GET /domains/{}/claim', 'POST /domains/{}/claim/verify'],
  ),
]

export const MAILGUN: Known[] = [
  {
    endpoint: 'POST /v3/{}/messages',
    because: YET,
    differs:
      'From has to be of the domain of the path, or of one it speaks for (`domain update --from`); see its fields below',
  },
  {
    endpoint: 'POST /v3/{}/messages.mime',
    because: YET,
    differs: '`h:` fields beside the message that it does not own are refused',
  },
  ...here(
    'the newest mailgun.js asks hosts of the original for it, whatever its `url`',
    'DELETE /v3/{}/envelopes',
  ),
  ...all(YET, 'GET /v3/domains/{}/sending_queues'),
  {
    endpoint: 'GET /v3/{}/events',
    because: YET,
    differs:
      'what no index serves (a part of a subject, a size, ...) is looked for half a minute at most, then a 400 asks to narrow it by ' +
      '`begin`, `end`, `event`, `tags` or `recipient`; `accepted` is told of each recipient, with the `method` it was handed in by (`HTTP`, `SMTP`)',
  },
  ...all(YET, 'GET /v3/{}/events/{*}'),
  ...all(YET, 'GET /v3/domains/{}/messages/{}', 'POST /v3/domains/{}/messages/{}'),
  ...all(YET, 'GET /v3/{}/messages/{}', 'POST /v3/{}/messages/{}'),
  ...all('what is stored goes by its own time (retention)', 'DELETE /v3/{}/messages/{}'),
  ...['bounces', 'unsubscribes', 'complaints', 'whitelists'].flatMap((list) => [
    ...here('the list is that of the company, the same under each of its domains', `GET /v3/{}/${list}`),
    ...all(
      YET,
      ...[`POST /v3/{}/${list}`, `POST /v3/{}/${list}/import`],
      ...[`GET /v3/{}/${list}/{}`, `DELETE /v3/{}/${list}/{}`, `DELETE /v3/{}/${list}`],
    ),
  ]),
  ...all(
    YET,
    ...['GET /v3/domains/{}/webhooks', 'POST /v3/domains/{}/webhooks', 'GET /v3/domains/{}/webhooks/{}'],
    ...['PUT /v3/domains/{}/webhooks/{}', 'DELETE /v3/domains/{}/webhooks/{}'],
    ...['POST /v4/domains/{}/webhooks', 'PUT /v4/domains/{}/webhooks', 'DELETE /v4/domains/{}/webhooks'],
    'GET /v5/accounts/http_signing_key',
  ),
  ...here(
    'the new key signs at once, and alone: that dialect has no place for a second signature',
    'POST /v5/accounts/http_signing_key',
  ),
  ...['v3', 'v4'].flatMap((version) => [
    ...all(YET, `GET /${version}/domains`),
    ...here(
      'what concerns mail that is received, IP addresses, passwords and the size of keys is passed over; `require_tls` is a 400',
      `POST /${version}/domains`,
    ),
    ...all(YET, `GET /${version}/domains/{}`),
    ...here('answers when DNS has answered', `PUT /${version}/domains/{}/verify`),
    ...here('there is nothing to set: what would change something is a 400', `PUT /${version}/domains/{}`),
    ...here('mail that waits from the domain fails when its time comes', `DELETE /${version}/domains/{}`),
  ]),
  ...all(YET, 'GET /v3/domains/{}/tracking'),
  ...here('it is kept, and no opens or clicks are followed', 'PUT /v3/domains/{}/tracking/open'),
  ...here('it is kept, and no opens or clicks are followed', 'PUT /v3/domains/{}/tracking/click'),
  ...here('it is kept, and no footer is added', 'PUT /v3/domains/{}/tracking/unsubscribe'),
  ...all(YET, 'GET /v3/domains/{}/connection'),
  ...here(
    'TLS is as the operator has set it for all mail: what would change something is a 400',
    'PUT /v3/domains/{}/connection',
  ),
  ...all(
    YET,
    'GET /v3/domains/{}/credentials',
    ...['DELETE /v3/domains/{}/credentials/{}', 'DELETE /v3/domains/{}/credentials'],
  ),
  ...here('all in one page', 'GET /v1/dkim/keys'),
  ...all(YET, 'GET /v4/domains/{}/keys'),
  ...here('keys have 2048 bits; another `bits` is a 400', 'POST /v1/dkim/keys'),
  ...all(
    YET,
    ...['DELETE /v1/dkim/keys', 'PUT /v4/domains/{}/keys/{}/activate'],
    ...['PUT /v4/domains/{}/keys/{}/deactivate', 'PUT /v3/domains/{}/dkim_selector'],
    ...['PUT /v3/domains/{}/webhooks/{}/test'],
    ...['GET /v3/{}/tags', 'GET /v3/{}/tags/{}', 'GET /v3/{}/tags/{}/stats'],
  ),
  ...here(
    'by time, tag or domain of recipients, one of the two beside time; filtered by domain, and by one value of what it counts by; at most ' +
      '50,000 counts are added up',
    'POST /v1/analytics/metrics',
  ),
  ...here('`aggregates` count what is on the page', 'POST /v1/analytics/logs'),
  ...all(YET, 'POST /v1/analytics/tags', 'PUT /v1/analytics/tags'),
  {
    endpoint: 'DELETE /v1/analytics/tags',
    because: YET,
    differs: 'it is listed again when it is seen on another day',
  },
  {
    endpoint: 'GET /v1/analytics/tags/limits',
    because: YET,
    differs: 'there is no limit: `limit` is the largest number that every client can read',
  },
  {
    endpoint: 'GET /v3/{}/stats/total',
    because: YET,
    differs: 'what any list has stopped counts as `suppress-bounce`; the events tell which',
  },
  { endpoint: 'PUT /v3/{}/tags/{}', because: YET },
  {
    endpoint: 'DELETE /v3/{}/tags/{}',
    because: YET,
    differs: 'it is listed again when it is seen on another day',
  },
  ...['POST /v3/domains/{}/credentials', 'PUT /v3/domains/{}/credentials/{}'].map((endpoint) => ({
    endpoint,
    because: YET,
    differs:
      'a password that is guessed first is refused (400); without one, it is made here and answered once',
  })),
  {
    endpoint: 'PUT /v3/domains/{}/dkim_authority',
    because: YET,
    differs: '`self=no` is a 400: each domain signs with keys of its own',
  },
  ...all(YET, 'GET /v3/stats/total'),
  ...all('figures are asked for at `/v3/{domain}/stats/total`', 'GET /v3/{}/stats'),
  ...all(
    'where and on what a mail was opened is not known',
    ...['countries', 'devices', 'providers'].map((by) => `GET /v3/{}/tags/{}/stats/aggregates/${by}`),
  ),
  ...all('there may be any number of tags', 'GET /v3/domains/{}/limits/tag'),
  ...all(
    'the words of servers are in the events, by `/v3/{domain}/events` and logs',
    'POST /v2/bounce-classification/metrics',
  ),
  ...all(
    'keys are changed by `/v1/dkim/keys`, and none changes by itself',
    ...['PUT /v1/dkim_management/domains/{}/rotation', 'POST /v1/dkim_management/domains/{}/rotate'],
  ),
  ...all(
    'no links are rewritten, and so none need a name or certificate',
    'PUT /v3/domains/{}/web_prefix',
    '/v2/x509',
  ),
  ...all('a webhook of the whole company is made by `postroad webhook add --dialect form`', '/v1/webhooks'),
  ...all(TEMPLATES, '/v3/{}/templates'),
  ...all(MARKETING, '/v3/lists'),
  ...all(INBOUND, '/v3/routes'),
  ...all(
    IPS,
    '/v3/domains/{}/ips',
    '/v3/domains/{}/pool',
    '/v3/ips',
    '/v3/ip_pools',
    '/v1/dynamic_pools',
    '/v3/ip_warmups',
  ),
  ...all('checks addresses; not a part of sending', '/v4/address/validate', '/v4/inbox'),
  ...all(HOSTED, '/v5/accounts/subaccounts', '/v5/accounts/limit', '/v5/sandbox', '/v1/keys', '/v1/alerts'),
  ...all(HOSTED, 'POST /v1/analytics/usage/metrics'),
]
