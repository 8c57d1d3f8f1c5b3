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
  ...here(
    'the link is that of a page here, ends after 48 hours at most and cannot be taken back; links by which the recipient unsubscribes are left out; of a batch the first copy is shown',
    'POST /emails/{}/share',
  ),
  ...here(
    'every figure counts recipients, `sent` those accepted; rates are parts of one; an end that is a date means all of that day; the dimensions `email` and ' +
      '`broadcast`, `email_id` and `broadcast_id` are a 422; figures by the hour or in another zone than UTC go back 100 days; at most 50,000 counts are added up',
    'GET /emails/metrics',
  ),
  ...here(
    'a company without a limit has `limit: null`; contacts, segments, broadcasts, credits and automations are 0; a 403 to a key for one domain',
    'GET /usage',
  ),
  ...all('requests are not kept: the log of the service has a line for each', 'GET /logs', 'GET /logs/{}'),
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
    ...here(
      '`web_scheme` is kept and shown; all else that would change something is a 400',
      `PUT /${version}/domains/{}`,
    ),
    ...here('mail that waits from the domain fails when its time comes', `DELETE /${version}/domains/{}`),
  ]),
  ...all(YET, 'GET /v3/domains/{}/tracking'),
  ...here(
    'it is kept, and no opens or clicks are followed; what is not named stays as it is',
    'PUT /v3/domains/{}/tracking/open',
  ),
  ...here(
    'it is kept, and no opens or clicks are followed; what is not named stays as it is',
    'PUT /v3/domains/{}/tracking/click',
  ),
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
  ...here(
    'one item for each domain that had mail then, with its name in `domain`',
    'GET /v3/stats/total/domains',
  ),
  ...all('figures are asked for by domain, tag or recipient domain', 'GET /v3/stats/filter'),
  ...here(
    'a provider is the domain of recipients: the hundred with most mail of the last 30 days, or of `start`, `end` or `duration`; with `delivered` and `failed`',
    'GET /v3/{}/aggregates/providers',
  ),
  ...here(
    'always empty: no opens or clicks are tracked',
    ...['GET /v3/{}/aggregates/devices', 'GET /v3/{}/aggregates/countries'],
    ...['GET /v3/{}/tags/{}/stats/aggregates/countries', 'GET /v3/{}/tags/{}/stats/aggregates/devices'],
  ),
  ...all(
    'mail with a tag is not counted by provider; `/v3/{domain}/aggregates/providers` counts all mail of the domain',
    'GET /v3/{}/tags/{}/stats/aggregates/providers',
  ),
  ...here('the recipient domains with most mail of the last 30 days', 'GET /v3/domains/{}/tag/providers'),
  ...all(YET, 'GET /v3/domains/{}/tag/devices'),
  ...here('always empty: no opens or clicks are tracked', 'GET /v3/domains/{}/tag/countries'),
  ...all(YET, 'GET /v3/{}/tag', 'PUT /v3/{}/tag'),
  ...here('it is listed again when it is seen on another day', 'DELETE /v3/{}/tag'),
  ...here('`provider`, `device` and `country` are a 400', 'GET /v3/{}/tag/stats'),
  ...here(
    'by `device` and `country` always empty; by `provider` a 400, for mail with a tag is not counted by recipient domain',
    'GET /v3/{}/tag/stats/aggregates',
  ),
  ...here(
    'there is no limit: `limit` is the largest number that every client can read',
    'GET /v3/domains/{}/limits/tag',
  ),
  ...all(
    'the words of servers are in the events, by `/v3/{domain}/events` and logs',
    ...['POST /v2/bounce-classification/metrics', '/v1/bounce-classification'],
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
  ...all(YET, 'GET /v1/webhooks'),
  ...here(
    'a description is not kept; each URL is one webhook (409 for another with the same); a URL that is one of a domain as well is told twice',
    'POST /v1/webhooks',
  ),
  ...all(
    YET,
    ...['DELETE /v1/webhooks', 'GET /v1/webhooks/{}', 'PUT /v1/webhooks/{}', 'DELETE /v1/webhooks/{}'],
  ),
  ...here(
    'the keys of the company; `role` is told from the scopes: `admin` all three, `developer` with management, `basic` with reading, `sending` else',
    'GET /v1/keys',
  ),
  ...here(
    'no more rights than the key that asks; `admin` and `developer` have sending, reading and management, `basic` reading, `sending` that alone; ' +
      'the kind `web` is a 400; user names and addresses are not kept',
    'POST /v1/keys',
  ),
  ...all(YET, 'DELETE /v1/keys/{}'),
  ...all('there are no public keys: addresses are not validated', 'POST /v1/keys/public'),
  ...all(TEMPLATES, '/v3/{}/templates', '/v4/templates'),
  ...all(MARKETING, '/v3/lists'),
  ...all(INBOUND, '/v3/routes', '/v3/forwards'),
  ...all(
    IPS,
    '/v3/domains/{}/ips',
    '/v3/domains/{}/pool',
    '/v3/ips',
    '/v3/ip_pools',
    ...[
      '/v3/dynamic_pools',
      '/v3/domains/{}/dynamic_pools',
      '/v3/domains/dynamic_pools/assignable',
      '/v3/domains/all/dynamic_pools',
    ],
    '/v1/dynamic_pools',
    '/v3/ip_warmups',
  ),
  ...all('checks addresses; not a part of sending', '/v4/address/validate', '/v4/inbox'),
  ...all(
    'a key works from the addresses that it was made for: `postroad key create --from`',
    '/v2/ip_whitelist',
  ),
  ...all(
    'limits of a company are set by its operator: `postroad company limit`',
    '/v5/accounts/limit',
    '/v1/thresholds',
  ),
  ...all(
    HOSTED,
    ...[
      'PUT /v5/accounts',
      '/v5/accounts/features',
      '/v5/accounts/resend_activation_email',
      '/v5/accounts/subaccounts',
    ],
    ...['/v5/sandbox', '/v5/users', '/v1/alerts', 'POST /v1/analytics/usage/metrics'],
  ),
]
