/**
 * The costliest request that the limits of each route allow. A declared route has one without a row: the most that its
 * schema allows, on what there is most of. A row overrides it where a costlier request is known:
 *
 *     'POST /v1/analytics/metrics': { body: { metrics: Array(18_000).fill('accepted_count') } },
 *
 * A route that is not declared must have a row, and so must one whose path has a parameter that `NAMED` does not know.
 */
import { randomUUIDv7 } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { MAX_OCTETS } from '../../../src/accounts/company-logo.ts'
import { multipartBody, type Part } from '../requests.ts'
import type { Filled } from './filled.ts'

export interface Octets {
  type: string
  octets: Buffer
}

export interface Row {
  /** Parameters of the path, in place of those that are known by name. */
  params?: (of: Filled) => Record<string, string>
  query?: string | ((of: Filled) => string)
  /** JSON; or octets of another type. */
  body?: object | ((of: Filled) => object | Octets)
  headers?: Record<string, string>
  /** How many are asked at once; 8 unless said. */
  copies?: number
  /** The request ends the session, or takes its rights. */
  losesSession?: true
  /** Its answer has no end: it is left when it has begun. */
  isEndless?: true
}

/** Octets of a body of a declared route. */
export const DECLARED_BODY = 256 * 1024

const repeated = (text: string, octets: number) => text.repeat(Math.floor(octets / text.length))
const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

function form(parts: Part[]): Octets {
  return { type: 'multipart/form-data; boundary=--x', octets: multipartBody(parts) }
}
const urlencoded = (text: string): Octets => ({
  type: 'application/x-www-form-urlencoded',
  octets: Buffer.from(text),
})

/** As a PNG of one pixel begins. */
const PNG_HEAD = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64')

const large = ({ ids }: Filled) => ({ email: ids.large })
const wide = ({ ids }: Filled) => ({ email: ids.wide })
const positions = { positions: many(100, (index) => index + 900) }
const spareDomain = ({ ids, spareDomainName }: Filled) => ({ domain: ids.spareDomain, name: spareDomainName })
const spareName = ({ spareDomainName }: Filled) => ({ domain: spareDomainName })
const nobody = () => ({ person: randomUUIDv7() })

/** 600 KB of text that is a list, one address a line. */
const csv = repeated('a"b"c@example.com,x\n', 60_000)
const imported = form([{ name: 'file', filename: 'list.csv', value: `address\n${csv}` }])
const quotes = form([{ name: 'file', filename: 'list.csv', value: `address\n${repeated('a"', 60_000)}` }])

/** Parameters of paths, the same for all routes. */
export const NAMED: Readonly<Record<string, (of: Filled, url: string) => string>> = {
  company: ({ companyId }) => companyId,
  email: ({ ids }) => ids.large,
  id: ({ ids }, url) => {
    if (url.includes('/webhooks')) return ids.webhook
    if (url.includes('/emails')) return ids.large
    if (url.includes('/logs') || url.includes('/requests')) return randomUUIDv7()
    if (url.includes('/api-keys') || url === '/v1/keys/:id') return ids.key
    if (url.includes('/suppressions')) return ids.suppression
    if (url.includes('/domains')) return ids.spareDomain
    // Of a session, a passkey or an identity.
    return randomUUIDv7()
  },
  domain: ({ ids, domain }, url) => (url.startsWith('/console') ? ids.domain : domain),
  key: ({ ids, storageKey }, url) => (url.startsWith('/console') ? ids.key : storageKey),
  webhook: ({ ids }) => ids.webhook,
  person: ({ ids }) => ids.person,
  invitation: () => randomUUIDv7(),
  attachment: ({ ids }) => ids.attachment,
  event: () => `msg_${'0'.repeat(27)}`,
  message: () => `msg_${'0'.repeat(27)}`,
  selector: () => 's'.repeat(63),
  login: () => 'l'.repeat(64),
  address: () => `s1-1@${'long'.repeat(10)}.example`,
  value: () => `s1-1@${'long'.repeat(10)}.example`,
  tag: () => 'value1-1',
  ip: () => '192.0.2.1',
  pool: () => 'p'.repeat(63),
  word: () => 'delivered',
  position: () => '0',
  attempt: () => '1',
  step: () => 'message',
  token: () => 'A'.repeat(2_000),
  '*': () => 'x'.repeat(2_000),
}

const mail = { to: 'b@sink.example', subject: 's' }
const from = ({ domain }: Filled) => `a@${domain}`

export const ROWS: Readonly<Record<string, Row>> = {
  // What is on one email: its HTML, its copies, its recipients.
  'GET /emails/:id': { copies: 12 },
  'POST /inbound/mail': {
    body: ({ ids }) => ({
      type: 'message/rfc822',
      octets: Buffer.from(
        `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${repeated('Final-Recipient: rfc822; a@x.example\r\nAction: failed\r\n\r\n', 1_000_000)}--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <${ids.wide}@x.example>\r\n`,
      ),
    }),
  },
  // The link is checked before the body is read: test/domain-reports has the bodies of valid links.
  'POST /tls-reports/:token': {
    body: { type: 'application/tlsrpt+gzip', octets: gzipSync(Buffer.alloc(10_000_000)) },
  },
  'GET /console/api/companies/:company/emails/count': { query: '?from=e' },
  'GET /console/api/companies/:company/explanation': {
    query: `?address=${encodeURIComponent(`s1-1@${'long'.repeat(10)}.example`)}`,
    copies: 40,
  },
  'PUT /console/api/companies/:company/logo': {
    body: {
      picture: Buffer.concat([PNG_HEAD, Buffer.alloc(MAX_OCTETS - PNG_HEAD.length)]).toString('base64'),
    },
  },
  'GET /console/api/companies/:company/emails/snippets': {
    query: ({ ids }) => `?ids=${[ids.large, ids.wide, ids.files, ...many(22, () => ids.large)].join(',')}`,
  },
  'GET /console/api/companies/:company/emails/reasons': {
    query: ({ ids }) => `?ids=${[ids.wide, ...many(99, () => ids.wide)].join(',')}`,
  },
  'GET /console/api/companies/:company/emails/unclipped': {
    query: ({ ids }) => `?ids=${[ids.large, ids.wide, ...many(98, () => ids.wide)].join(',')}`,
  },
  'GET /console/api/companies/:company/emails/:email': { params: large, copies: 40 },
  'GET /console/api/companies/:company/emails/:email/content': { params: large, copies: 12 },
  'GET /console/api/companies/:company/emails/:email/source': { params: large, copies: 12 },
  'GET /console/api/companies/:company/emails/:email/text': { params: large, copies: 12 },
  'GET /console/api/companies/:company/emails/:email/preview': { params: large, copies: 12 },
  'GET /console/api/companies/:company/emails/:email/source.eml': { params: large, copies: 12 },
  'GET /console/api/companies/:company/emails/:email/files/:position': {
    params: ({ ids }) => ({ email: ids.files }),
  },
  'GET /console/api/companies/:company/emails/:email/neighbours': { params: wide },
  'POST /console/api/companies/:company/emails/:email/retry': { params: large, copies: 12 },
  'POST /console/api/companies/:company/emails/:email/cancel': {
    params: ({ ids }) => ({ email: ids.scheduled }),
  },
  'POST /console/api/companies/:company/emails/retry': {
    body: ({ ids }) => ({ ids: [ids.large, ...many(99, () => randomUUIDv7())] }),
  },
  'POST /console/api/companies/:company/emails/cancel': {
    body: ({ ids }) => ({ ids: [ids.scheduled, ...many(99, () => randomUUIDv7())] }),
  },
  'POST /console/api/companies/:company/emails/suppress': {
    body: ({ ids }) => ({ ids: [ids.wide, ...many(99, () => randomUUIDv7())] }),
  },
  'POST /console/api/companies/:company/emails/delete': {
    body: ({ ids }) => ({ ids: [ids.scheduled, ...many(99, () => randomUUIDv7())] }),
  },
  'POST /console/api/companies/:company/suppressions/remove': {
    body: ({ ids }) => ({ ids: [ids.suppression, ...many(99, () => randomUUIDv7())] }),
  },
  'POST /console/api/companies/:company/emails/:email/suppress': { params: wide, body: { position: 999 } },
  'POST /console/api/companies/:company/emails/:email/recipients/retry': { params: wide, body: positions },
  'POST /console/api/companies/:company/emails/:email/recipients/cancel': { params: wide, body: positions },
  'POST /console/api/companies/:company/emails/:email/recipients/suppress': { params: wide, body: positions },
  'POST /console/api/companies/:company/emails/:email/again': {
    ...{ params: large, body: () => ({ click: randomUUIDv7() }), copies: 4 },
  },
  'POST /console/api/companies/:company/emails/:email/reach': {
    params: large,
    body: { urls: many(100, (index) => `https://example.com/${index}/${'x'.repeat(2_000)}`) },
  },
  'GET /console/api/companies/:company/live': { isEndless: true, copies: 40 },
  'GET /v3/domains/:domain/messages/:key': { headers: { accept: 'message/rfc2822' } },
  'GET /v3/:domain/messages/:key': {},
  'POST /v3/domains/:domain/messages/:key': { body: () => urlencoded('to=b@sink.example'), copies: 4 },
  'POST /v3/:domain/messages/:key': { body: () => urlencoded('to=b@sink.example'), copies: 4 },
  'POST /emails/:id/cancel': { params: ({ ids }) => ({ id: ids.scheduled }) },
  'PATCH /emails/:id': {
    params: ({ ids }) => ({ id: ids.scheduled }),
    body: { scheduled_at: repeated('next monday in 3 weeks at 9am or ', 250_000) },
  },
  'GET /emails/:id/attachments': { params: ({ ids }) => ({ id: ids.files }), query: '?limit=100' },
  'GET /emails/:id/attachments/:attachment': { params: ({ ids }) => ({ id: ids.files }) },
  'GET /emails/:id/attachments/:attachment/download': {
    params: ({ ids }) => ({ id: ids.files }),
    query: `?expires=1&signature=${'x'.repeat(2_000)}`,
  },

  // The page, then the large email in its frame.
  'GET /emails/:id/share': { query: ({ sharedQuery }) => `${sharedQuery}&shown=content`, copies: 12 },

  // What is sent.
  'POST /emails': {
    copies: 20,
    body: (of) => ({
      ...{ ...mail, from: from(of), html: repeated('<b><table><td>', 250_000), text: 't' },
      to: many(1_000, (index) => `(((((c))))) "n${index}" <r${index}@d${index}.example>`),
      headers: Object.fromEntries(many(1_000, (index) => [`X-${index}`, 'v'.repeat(40)])),
    }),
  },
  'POST /email': {
    copies: 20,
    body: (of) => ({ ...mail, from: from(of), text: 't', x: many(12_000, () => [[]]) }),
  },
  'POST /emails/batch': {
    copies: 4,
    body: (of) =>
      many(100, (index) => ({
        ...{ ...mail, from: from(of), html: repeated('<a href="http://x.test/">y</a>', 5_000) },
        to: many(50, (to) => `r${to}@d${index}.example`),
      })),
  },
  'POST /v3/:domain/messages': {
    // Each brings a thousand messages of 120 KB, which are composed and stored.
    copies: 4,
    body: (of) => {
      const to = many(1_000, (index) => `r${index}@sink.example`)
      const variables = JSON.stringify(Object.fromEntries(to.map((each) => [each, { a: 'x'.repeat(200) }])))
      return form([
        ...Object.entries({
          from: from(of),
          subject: '%recipient.a%',
          text: repeated('%recipient.a%', 8_000),
        }).map(([name, value]) => ({ name, value })),
        { name: 'to', value: to.join(',') },
        { name: 'recipient-variables', value: variables },
        ...many(900, (index) => ({ name: `v:x${index}`, value: 'v' })),
      ])
    },
  },
  'POST /v3/:domain/messages.mime': {
    copies: 4,
    body: (of) => {
      const head = `From: ${from(of)}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`
      const value = `${head}${repeated('--b\r\n\r\nx\r\n', 9_000 * 10)}--b--\r\n`
      return form([
        { name: 'to', value: 'b@sink.example' },
        { name: 'message', filename: 'm', value },
      ])
    },
  },
  'POST /console/api/companies/:company/messages': {
    body: (of) => ({ from: from(of), to: 'b@sink.example', subject: 's', text: 'x'.repeat(90_000) }),
  },

  // Lists that are read from files.
  'POST /v3/:domain/bounces/import': { body: () => quotes },
  'POST /v3/:domain/unsubscribes/import': { body: () => imported },
  'POST /v3/:domain/complaints/import': { body: () => imported },
  'POST /v3/:domain/whitelists/import': { body: () => quotes },
  'POST /console/api/companies/:company/suppressions/import': {
    body: { list: 'manual', text: repeated('a"', 60_000) },
  },
  'POST /v3/:domain/bounces': {
    body: many(1_000, (index) => ({ address: `b${index}@example.com`, error: 'e'.repeat(150) })),
  },
  'POST /v3/:domain/complaints': { body: many(1_000, (index) => ({ address: `c${index}@example.com` })) },
  'POST /v3/:domain/unsubscribes': {
    body: many(1_000, (index) => ({ address: `u${index}@example.com`, tags: many(10, (tag) => `t${tag}`) })),
  },
  'POST /suppressions/batch/add': {
    body: { emails: many(100, (index) => `${'a'.repeat(60)}${index}@example.com`) },
  },
  'POST /suppressions/batch/remove': {
    body: { emails: many(100, (index) => `${'a'.repeat(60)}${index}@example.com`) },
  },

  // Searches and counts.
  'GET /emails': { query: `?limit=100&subject=${'s'.repeat(500)}` },
  // A search that finds nothing goes on for up to half a minute, in steps that cost less than this page.
  'GET /v3/:domain/events': { query: '?limit=300' },
  'POST /v1/analytics/logs': {
    body: {
      events: ['accepted', 'delivered'],
      filter: {
        AND: many(20, () => ({
          ...{ attribute: 'subject', comparator: 'not contains' },
          values: many(240, (index) => ({ label: '', value: `no${index}` })),
        })),
      },
      pagination: { limit: 300, sort: 'timestamp:asc' },
    },
  },
  'POST /v1/analytics/metrics': {
    body: {
      ...{ duration: '1d', dimensions: ['tag', 'time'], include_aggregates: true },
      ...{ metrics: many(12_000, () => 'accepted_count'), pagination: { limit: 1_500 } },
    },
  },
  'POST /v2/bounce-classification/metrics': {
    body: {
      ...{ duration: '1d', resolution: 'hour', pagination: { limit: 1_000, sort: 'timestamp:asc' } },
      dimensions: ['entity-name', 'category', 'criticality', 'severity', 'domain.name', 'timestamp'],
      filter: {
        AND: many(20, () => ({
          ...{ attribute: 'category', comparator: 'not contains' },
          values: many(240, (index) => ({ label: '', value: `no${index}` })),
        })),
      },
    },
  },
  'POST /v1/analytics/tags': { body: { include_metrics: true, pagination: { limit: 20, sort: 'tag:desc' } } },
  'GET /v3/:domain/tags': { query: '?limit=1000' },
  'GET /v3/:domain/tags/:tag/stats': {
    query: `?${many(300, () => 'event=accepted').join('&')}&resolution=hour&duration=30d`,
  },
  'GET /v3/:domain/bounces': { query: '?limit=1000' },
  'GET /v3/:domain/complaints': { query: '?limit=1000' },
  'GET /v3/:domain/unsubscribes': { query: '?limit=1000' },
  'GET /v3/:domain/whitelists': { query: '?limit=1000' },
  'GET /api-keys': { query: '' },
  'GET /domains': { query: '' },
  'GET /webhooks': { query: '' },
  'GET /v3/:domain/stats/total': {
    query: `?${many(300, () => 'event=accepted').join('&')}&resolution=hour&duration=30d`,
  },
  'GET /emails/metrics': {
    query: `?dimensions=period,domain&granularity=hourly&timezone=Asia/Kathmandu&start_date=${new Date(Date.now() - 98 * 86_400_000).toISOString()}`,
  },
  'GET /v3/:domain/tag': { query: '?tag=value1-1' },
  'PUT /v3/:domain/tag': { query: '?tag=value1-1', body: { description: 'd'.repeat(1_000) } },
  'DELETE /v3/:domain/tag': { query: '?tag=value3-97' },
  'GET /v3/:domain/tag/stats': {
    query: `?tag=value1-1&${many(300, () => 'event=accepted').join('&')}&resolution=hour&duration=30d`,
  },
  'GET /v3/:domain/tag/stats/aggregates': { query: '?tag=value1-1&type=device' },
  'GET /v3/:domain/aggregates/providers': { query: '?duration=1000d' },
  'GET /v3/stats/total/domains': {
    query: `?${many(300, () => 'event=accepted').join('&')}&timestamp=${Math.floor(Date.now() / 1000)}&resolution=month&limit=1000`,
  },
  'GET /v1/webhooks': { query: `?webhook_ids=${many(400, () => randomUUIDv7()).join(',')}` },
  'POST /v1/webhooks': {
    body: {
      url: `https://hook.example/${'x'.repeat(1_900)}`,
      event_types: many(100, () => 'delivered'),
    },
  },
  'PUT /v1/webhooks/:webhook': {
    body: { url: `https://hook.example/${'y'.repeat(1_900)}`, event_types: many(100, () => 'delivered') },
  },
  'DELETE /v1/webhooks': { query: `?webhook_ids=${many(400, () => randomUUIDv7()).join(',')}` },
  'POST /v1/keys': { body: { role: 'sending', description: 'k'.repeat(200) } },
  'GET /v3/stats/total': {
    query: `?${many(300, () => 'event=accepted').join('&')}&resolution=hour&duration=30d`,
  },
  // Nothing has the words in its text, so as many texts are read as one search may read.
  'GET /console/api/companies/:company/emails': {
    query: `?limit=100&q=body:nowhere+${many(180, (n) => `w${n}`).join('+')}`,
  },
  'GET /console/api/companies/:company/overview/volume': { query: '?span=year' },
  'GET /console/api/companies/:company/overview/latency': { query: '?span=year' },
  'GET /console/api/companies/:company/overview/destinations': { query: '?span=year' },
  'GET /console/api/companies/:company/overview/domains': { query: '?span=year' },
  'GET /console/api/companies/:company/overview/reasons': { query: '?span=year' },
  'GET /console/api/installation/companies': { query: '?span=year' },
  'GET /console/api/companies/:company/suppressions/count': {},
  'GET /console/api/companies/:company/suppressions/export': {},
  'GET /console/api/companies/:company/audit/export': {},

  // What is made and removed: of something that nothing else here needs.
  'DELETE /domains/:id': { params: ({ ids }) => ({ id: ids.spareDomain }) },
  'DELETE /v3/domains/:domain': { params: spareName },
  'DELETE /v4/domains/:domain': { params: spareName },
  'PUT /v3/domains/:domain': { params: spareName },
  'PUT /v4/domains/:domain': { params: spareName },
  'DELETE /v3/domains/:domain/credentials': { params: spareName },
  'DELETE /console/api/companies/:company/domains/:domain': { params: spareDomain },
  'PUT /console/api/companies/:company/domains/:domain/sending': { params: spareDomain },
  'PUT /console/api/companies/:company/domains/:domain/relay': { params: spareDomain },
  'DELETE /console/api/companies/:company/domains/:domain/relay': { params: spareDomain },
  'PUT /console/api/companies/:company/relay': { body: { url: `smtp://${'u'.repeat(1_900)}` } },
  'GET /console/api/companies/:company/domains/:domain/check': { query: '?name=_dmarc.acme.example' },
  'POST /console/api/companies/:company/domains/:domain/dkim': {
    params: spareDomain,
    body: { selector: 's9', pem: `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(19_000)}` },
  },
  'POST /v1/dkim/keys': {
    body: ({ spareDomainName }) => ({
      signing_domain: spareDomainName,
      selector: 's8',
      pem: 'A'.repeat(200_000),
    }),
  },
  'DELETE /v1/dkim/keys': { query: '?signing_domain=acme.example&selector=s7' },
  'PUT /v3/domains/:domain/dkim_selector': { query: `?dkim_selector=${'s'.repeat(63)}` },
  'PUT /v3/domains/:domain/dkim_authority': { query: '?self=true' },
  'DELETE /v3/:domain/tags/:tag': { params: () => ({ tag: 'value3-99' }) },
  'PUT /v3/:domain/tags/:tag': { body: { description: 'd'.repeat(1_000) } },
  'PUT /v1/analytics/tags': { body: { tag: 'value1-1', description: 'd'.repeat(1_000) } },
  'DELETE /v1/analytics/tags': { body: { tag: 'value3-98' } },
  'POST /webhooks': {
    body: { endpoint: `https://hook.example/${'x'.repeat(1_900)}`, events: many(5_000, () => 'email.sent') },
  },
  'PATCH /webhooks/:id': { body: { events: many(5_000, () => 'email.sent') } },
  'POST /domains': { body: () => ({ name: `${randomUUIDv7()}.example` }), copies: 4 },
  'POST /v3/domains': { body: () => ({ name: `${randomUUIDv7()}.example` }), copies: 2 },
  'POST /console/api/companies/:company/domains': {
    ...{ body: () => ({ name: `${randomUUIDv7()}.example` }), copies: 2 },
  },
  'POST /api-keys': { body: { name: 'k'.repeat(200) } },
  'POST /console/api/companies/:company/keys': { body: { name: 'k'.repeat(200), scopes: ['sending'] } },
  'POST /suppressions': { body: { email: `${'a'.repeat(64)}@${'a.'.repeat(100)}example` } },

  'DELETE /console/api/companies/:company/team/:person': { params: nobody },
  'DELETE /console/api/installation/people/:person': { params: nobody },
  'POST /console/api/installation/pauses': { body: { company: null, domain: `${'p'.repeat(60)}.example` } },
  'POST /console/api/installation/pauses/end': {
    body: { company: null, domain: `${'p'.repeat(60)}.example` },
  },

  'POST /console/api/installation/sites/retry': { body: { site: 'Google' } },

  // Sign-ins, and changes of a session by itself. Scrypt and the like are not counted as work of the main thread.
  'DELETE /console/api/session': { losesSession: true },
  'DELETE /console/api/account/sessions': { losesSession: true },
  'DELETE /console/api/account/sessions/:id': { losesSession: true },
  'PUT /console/api/account/password': {
    losesSession: true,
    body: { password: 'correct horse battery staple'.repeat(30) },
  },
  'POST /console/api/account/proof': { losesSession: true, body: { password: 'x'.repeat(1_000) } },
  'PATCH /console/api/account': { losesSession: true },

  // Written by hand.
  'GET /console/api/leave': { query: `?url=${'x'.repeat(4_000)}&signature=${'x'.repeat(4_000)}` },
  'GET /console': { copies: 40 },
  'GET /console/*': { copies: 40 },
  'GET /': { copies: 40 },
  'GET /openapi.json': { copies: 40 },
  'GET /docs': { copies: 40 },
  'GET /metrics': { copies: 40 },
  'GET /unsubscribe/:token': { copies: 40 },
  'POST /unsubscribe/:token': { copies: 40 },
}
