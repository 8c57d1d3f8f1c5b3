/**
 * The endpoints of the two services whose clients work with Postroad, from their references and clients.
 * docs/openapi.json says which of them are supported; this file says what differs, or why one is missing.
 */

/** `because`: the reason why it is missing. `differs`: the difference, if it is supported. */
export interface Known {
  /** Parameters as `{}`. */
  endpoint: string
  because: string
  differs?: string
}

const YET = 'not built yet'
const MARKETING = 'for marketing: the application keeps lists of contacts and their mail'
const TEMPLATES = 'there are no templates: the application sends finished HTML or text'
const INBOUND = 'for receiving mail; this service only sends'
const HOSTED = 'for accounts of a hosted service'
const IPS = 'mail leaves from the addresses of the machine or its relay'

const all = (because: string, ...endpoints: string[]): Known[] =>
  endpoints.map((endpoint) => ({ endpoint, because }))

/** Supported endpoints, with their differences. */
const here = (differs: string, ...endpoints: string[]): Known[] =>
  endpoints.map((endpoint) => ({ endpoint, because: YET, differs }))

export const RESEND: Known[] = [
  {
    endpoint: 'POST /emails',
    because: YET,
    differs: 'up to 1,000 recipients; the original accepts 50. See its fields below',
  },
  ...all(YET, 'POST /email', 'POST /emails/batch'),
  {
    endpoint: 'GET /emails',
    because: YET,
    differs:
      'has more filters than `limit`, `after` and `before`. With `from`, `subject` or `event` alone, a page may ' +
      'have fewer entries than `limit`; `next` says where to continue',
  },
  {
    endpoint: 'GET /emails/{}',
    because: YET,
    differs:
      '`html` and `text` are strings, empty if there is none; no `topic_id`; shows mail of both dialects',
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
    'the link leads to a page of this service, expires after 48 hours at most and cannot be revoked. Unsubscribe links are removed; a batch shows its first copy',
    'POST /emails/{}/share',
  ),
  ...here(
    'all counts are of recipients, `sent` of accepted ones; rates lie between 0 and 1; an end date includes that day. The dimensions `email` and ' +
      '`broadcast`, `email_id` and `broadcast_id` are a 422. Counts by the hour or in another zone than UTC go back 100 days; at most 50,000 counts are added up',
    'GET /emails/metrics',
  ),
  ...here(
    'a company without a limit has `limit: null`; contacts, segments, broadcasts, credits and automations are 0; a 403 to a key for one domain',
    'GET /usage',
  ),
  ...here(
    'refused requests, and successful ones as far as they are kept, for `POSTROAD_RETENTION_API_LOG`; SMTP too, with the command as `endpoint`. In ' +
      '`request_body` secrets and the content of mail are replaced by their size. `response_body` of a success is null, except that of sending',
    'GET /logs',
    'GET /logs/{}',
  ),
  {
    endpoint: 'POST /domains',
    because: YET,
    differs:
      '`region` is ignored. `tls: enforced` demands encryption, with any certificate. `tracking_subdomain` and receiving are ' +
      'refused. `custom_return_path` is a label below the domain or a whole host name; `send` stands for `bounces`. A host of another organization needs one more record, which names the domain. With `capabilities.sending` set to `disabled`, new mail is refused and accepted mail still leaves. ' +
      'Tracking settings are stored, but nothing is tracked. A company can add a name that another company has, ' +
      'and does not learn of it',
  },
  {
    endpoint: 'GET /domains/{}',
    because: YET,
    differs:
      'records have their full names; there is an MX record where the service gets bounces, or `custom_return_path` was set',
  },
  {
    endpoint: 'POST /domains/{}/verify',
    because: YET,
    differs:
      'answers after DNS has answered; 409 if the records are right but another company already sends from the domain',
  },
  {
    endpoint: 'DELETE /domains/{}',
    because: YET,
    differs: 'waiting mail from the domain fails when it is due; API keys for the domain alone are revoked',
  },
  {
    endpoint: 'POST /api-keys',
    because: YET,
    differs:
      'a key cannot give more rights than it has; `sending_access` is the scope `sending`, `full_access` all three, and without either the new key has the scopes of the key that makes it',
  },
  {
    endpoint: 'GET /suppressions',
    because: YET,
    differs: 'unsubscriptions have the origin `manual`',
  },
  {
    endpoint: 'POST /webhooks',
    because: YET,
    differs:
      'events of emails and domains are sent, and `email.canceled`, `problem.started` and `problem.ended` too. ' +
      'The other documented events (`email.received`, `contact.*`, ' +
      '`suppression.*`, `topic.*`, `inbox.*`) are stored and shown, but never sent; an unknown name is a 422',
  },
  {
    endpoint: 'GET /webhooks',
    because: YET,
    differs:
      'leaves out webhooks of the form dialect (`webhook add --dialect form`, `/v3/domains/{domain}/webhooks`), as all routes of `/webhooks` do',
  },
  {
    endpoint: 'POST /webhooks/{}/signing-secret/rotate',
    because: YET,
    differs: 'the previous secret also signs for one day',
  },
  {
    endpoint: 'GET /webhooks/{}/events',
    because: YET,
    differs:
      'events with recorded attempts: the last 1,000 that succeeded, and for 30 days those that failed',
  },
  {
    endpoint: 'GET /webhooks/{}/events/{}',
    because: YET,
    differs:
      '`status` is `unknown` without a recorded attempt: the event was accepted or given up long ago, or never sent',
  },
  {
    endpoint: 'GET /webhooks/{}/events/{}/attempts',
    because: YET,
    differs: '`http_status_code` is 0 if there was no answer, and `response` says why',
  },
  ...all(
    YET,
    ...['GET /domains', 'PATCH /domains/{}', 'GET /api-keys', 'PATCH /api-keys/{}', 'DELETE /api-keys/{}'],
    ...['GET /webhooks/{}', 'PATCH /webhooks/{}', 'DELETE /webhooks/{}'],
    'POST /webhooks/{}/events/{}/replay',
    ...['POST /suppressions', 'GET /suppressions/{}', 'DELETE /suppressions/{}'],
    ...['POST /suppressions/batch/add', 'POST /suppressions/batch/remove'],
  ),
  ...all(TEMPLATES, '/templates'),
  ...all(MARKETING, '/contacts', '/audiences', '/segments', '/topics', '/broadcasts', '/contact-properties'),
  ...all('runs workflows; here the application decides when to send', '/automations', '/events'),
  ...all(INBOUND, '/emails/receiving', '/inboxes'),
  ...all(HOSTED, '/oauth'),
  ...all(
    '`POST /domains` claims a name that another company has; the records in DNS decide',
    ...['POST /domains/claim', 'GET /domains/{}/claim', 'POST /domains/{}/claim/verify'],
  ),
]

export const MAILGUN: Known[] = [
  {
    endpoint: 'POST /v3/{}/messages',
    because: YET,
    differs:
      'From must be at the domain of the path, or at a domain allowed for it (`domain update --from`); see its fields below',
  },
  {
    endpoint: 'POST /v3/{}/messages.mime',
    because: YET,
    differs: '`h:` fields that the message does not have are refused',
  },
  ...here(
    'the newest mailgun.js always sends this to the hosts of the original, regardless of its `url`',
    'DELETE /v3/{}/envelopes',
  ),
  ...all(YET, 'GET /v3/domains/{}/sending_queues'),
  {
    endpoint: 'GET /v3/{}/events',
    because: YET,
    differs:
      'filters without an index (part of a subject, a size, ...) are searched for half a minute at most; then a 400 asks to narrow them by ' +
      '`begin`, `end`, `event`, `tags` or `recipient`. `accepted` is reported for each recipient, with the `method` (`HTTP`, `SMTP`)',
  },
  ...all(YET, 'GET /v3/{}/events/{*}'),
  ...all(YET, 'GET /v3/domains/{}/messages/{}', 'POST /v3/domains/{}/messages/{}'),
  ...all(YET, 'GET /v3/{}/messages/{}', 'POST /v3/{}/messages/{}'),
  ...all('retention removes stored messages', 'DELETE /v3/{}/messages/{}'),
  ...['bounces', 'unsubscribes', 'complaints', 'whitelists'].flatMap((list) => [
    ...here(
      'the list belongs to the company, and is the same under each of its domains',
      `GET /v3/{}/${list}`,
    ),
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
    'only the new key signs, at once: this dialect has no place for a second signature',
    'POST /v5/accounts/http_signing_key',
  ),
  ...['v3', 'v4'].flatMap((version) => [
    ...all(YET, `GET /${version}/domains`),
    ...here(
      'options for received mail, IP addresses, passwords and key sizes are ignored; `require_tls` is a 400',
      `POST /${version}/domains`,
    ),
    ...all(YET, `GET /${version}/domains/{}`),
    ...here('answers after DNS has answered', `PUT /${version}/domains/{}/verify`),
    ...here(
      '`web_scheme` is stored and shown; `use_automatic_sender_security` moves DKIM to CNAME records or back; every other change is a 400',
      `PUT /${version}/domains/{}`,
    ),
    ...here('waiting mail from the domain fails when it is due', `DELETE /${version}/domains/{}`),
  ]),
  ...all(YET, 'GET /v3/domains/{}/tracking'),
  ...here(
    'the setting is stored, but nothing is tracked; omitted settings stay unchanged',
    'PUT /v3/domains/{}/tracking/open',
  ),
  ...here(
    'the setting is stored, but nothing is tracked; omitted settings stay unchanged',
    'PUT /v3/domains/{}/tracking/click',
  ),
  ...here('the setting is stored, but no footer is added', 'PUT /v3/domains/{}/tracking/unsubscribe'),
  ...all(YET, 'GET /v3/domains/{}/connection'),
  ...here(
    '`require_tls` alone demands a valid certificate, with `skip_verification` encryption only',
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
    'by time, and by tag or recipient domain; filtered by domain, and by one value of that dimension; at most ' +
      '50,000 counts are added up',
    'POST /v1/analytics/metrics',
  ),
  ...here('`aggregates` count the entries of the page', 'POST /v1/analytics/logs'),
  ...here(
    'no dimensions for tags, recipient domains, source addresses, pools and rules; categories are those of the events',
    'POST /v2/bounce-classification/metrics',
  ),
  ...all(YET, 'POST /v1/analytics/tags', 'PUT /v1/analytics/tags'),
  {
    endpoint: 'DELETE /v1/analytics/tags',
    because: YET,
    differs: 'the tag is listed again when it is used on another day',
  },
  {
    endpoint: 'GET /v1/analytics/tags/limits',
    because: YET,
    differs: 'there is no limit: `limit` is the largest number that every client can read',
  },
  {
    endpoint: 'GET /v3/{}/stats/total',
    because: YET,
    differs: 'all suppressed mail counts as `suppress-bounce`; the events name the list',
  },
  { endpoint: 'PUT /v3/{}/tags/{}', because: YET },
  {
    endpoint: 'DELETE /v3/{}/tags/{}',
    because: YET,
    differs: 'the tag is listed again when it is used on another day',
  },
  ...['POST /v3/domains/{}/credentials', 'PUT /v3/domains/{}/credentials/{}'].map((endpoint) => ({
    endpoint,
    because: YET,
    differs: 'a common password is refused (400); without one, the service makes it and shows it once',
  })),
  {
    endpoint: 'PUT /v3/domains/{}/dkim_authority',
    because: YET,
    differs: '`self=no` is a 400: each domain signs with its own keys',
  },
  ...all(YET, 'GET /v3/stats/total'),
  ...all('use `/v3/{domain}/stats/total`', 'GET /v3/{}/stats'),
  ...here(
    'one item for each domain with mail in that time, with its name in `domain`',
    'GET /v3/stats/total/domains',
  ),
  ...all('counts are available by domain, tag or recipient domain', 'GET /v3/stats/filter'),
  ...here(
    'a provider is a recipient domain: the hundred with the most mail of the last 30 days, or of `start`, `end` or `duration`; with `delivered` and `failed`',
    'GET /v3/{}/aggregates/providers',
  ),
  ...here(
    'always empty: no opens or clicks are tracked',
    ...['GET /v3/{}/aggregates/devices', 'GET /v3/{}/aggregates/countries'],
    ...['GET /v3/{}/tags/{}/stats/aggregates/countries', 'GET /v3/{}/tags/{}/stats/aggregates/devices'],
  ),
  ...all(
    'tags are not counted by provider; `/v3/{domain}/aggregates/providers` counts all mail of the domain',
    'GET /v3/{}/tags/{}/stats/aggregates/providers',
  ),
  ...here('the recipient domains with the most mail of the last 30 days', 'GET /v3/domains/{}/tag/providers'),
  ...all(YET, 'GET /v3/domains/{}/tag/devices'),
  ...here('always empty: no opens or clicks are tracked', 'GET /v3/domains/{}/tag/countries'),
  ...all(YET, 'GET /v3/{}/tag', 'PUT /v3/{}/tag'),
  ...here('the tag is listed again when it is used on another day', 'DELETE /v3/{}/tag'),
  ...here('`provider`, `device` and `country` are a 400', 'GET /v3/{}/tag/stats'),
  ...here(
    'always empty by `device` and `country`; a 400 by `provider`, because tags are not counted by recipient domain',
    'GET /v3/{}/tag/stats/aggregates',
  ),
  ...here(
    'there is no limit: `limit` is the largest number that every client can read',
    'GET /v3/domains/{}/limits/tag',
  ),
  ...all(
    '`POST /v2/bounce-classification/metrics` counts by category and provider',
    '/v1/bounce-classification',
  ),
  ...here(
    'for domains with CNAME records for DKIM (`use_automatic_sender_security`); an interval from 8 days on; a 400 for others',
    ...['PUT /v1/dkim_management/domains/{}/rotation', 'POST /v1/dkim_management/domains/{}/rotate'],
  ),
  ...all(
    'no links are rewritten, so none need a name or certificate',
    'PUT /v3/domains/{}/web_prefix',
    '/v2/x509',
  ),
  ...all(YET, 'GET /v1/webhooks'),
  ...here(
    'descriptions are not stored; each URL is one webhook (409 for a second one). A URL that is also a webhook of a domain gets events twice',
    'POST /v1/webhooks',
  ),
  ...all(
    YET,
    ...['DELETE /v1/webhooks', 'GET /v1/webhooks/{}', 'PUT /v1/webhooks/{}', 'DELETE /v1/webhooks/{}'],
  ),
  ...here(
    'the keys of the company; `role` is derived from the scopes: `admin` has all three, `developer` has management, `basic` has reading, otherwise `sending`',
    'GET /v1/keys',
  ),
  ...here(
    'no more rights than the calling key; `admin` and `developer` have sending, reading and management, `basic` has reading, `sending` has sending; ' +
      'the kind `web` is a 400; user names and addresses are not stored',
    'POST /v1/keys',
  ),
  ...all(YET, 'DELETE /v1/keys/{}'),
  ...all('there are no public keys: addresses are not validated', 'POST /v1/keys/public'),
  ...all(TEMPLATES, '/v3/{}/templates', '/v4/templates'),
  ...all(MARKETING, '/v3/lists'),
  ...all(INBOUND, '/v3/routes', '/v3/forwards'),
  ...here(
    'the addresses of the pools that are assigned to the company or its domains, or else those that are free for all; none where mail leaves through a relay. `rdns` is the EHLO name, and `dedicated` says that no other company has the address',
    ...['GET /v3/ips', 'GET /v3/ips/{}'],
  ),
  ...all(YET, 'GET /v3/ips/{}/domains', 'GET /v3/domains/{}/ips'),
  ...here(
    'the pools that are assigned to the company or its domains; `pool_id` is the name',
    ...['GET /v3/ip_pools', 'GET /v1/ip_pools', 'GET /v3/ip_pools/{}', 'GET /v1/ip_pools/{}'],
    'GET /v3/ip_pools/{}/domains',
  ),
  ...all(
    'the operator makes pools of addresses and assigns them: `postroad pool`',
    ...['POST /v3/domains/{}/ips', 'DELETE /v3/domains/{}/ips/{}', 'DELETE /v3/domains/{}/pool/{}'],
    ...['POST /v3/ips/{}/domains', 'DELETE /v3/ips/{}/domains', 'POST /v3/ips/{}/ip_band'],
    ...[
      'GET /v3/ips/request/new',
      'POST /v3/ips/request/new',
      '/v3/ips/domain/{}',
      '/v3/ips/account/settings',
    ],
    ...['GET /v3/ips/details/all', 'PATCH /v3/ips/subaccounts'],
    ...['POST /v3/ip_pools', 'DELETE /v3/ip_pools/{}', 'PATCH /v3/ip_pools/{}'],
    ...['POST /v1/ip_pools', 'DELETE /v1/ip_pools/{}', 'PATCH /v1/ip_pools/{}'],
    ...['PUT /v3/ip_pools/{}/ips/{}', 'DELETE /v3/ip_pools/{}/ips/{}', 'POST /v3/ip_pools/{}/ips.json'],
    '/v3/ip_pools/{}/delegate',
  ),
  ...all(
    IPS,
    ...[
      '/v3/dynamic_pools',
      '/v3/domains/{}/dynamic_pools',
      '/v3/domains/dynamic_pools/assignable',
      '/v3/domains/all/dynamic_pools',
    ],
    '/v1/dynamic_pools',
    '/v3/ip_warmups',
  ),
  ...all('for checking addresses, which is not part of sending', '/v4/address/validate', '/v4/inbox'),
  ...all('source networks belong to a key: `postroad key create --from`', '/v2/ip_whitelist'),
  ...all(
    'the operator sets the limits of a company: `postroad company limit`',
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
