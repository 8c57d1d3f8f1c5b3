/** The worst attacks of a customer with a key, and of a stranger without one: one small generator for each. */
import type { TlsRecords } from '../../harness/tls-records.ts'
import type { Target } from './order.ts'

const MIB = 1024 * 1024

export interface Attack {
  name: string
  what: string
  /** Over SMTP, and not over HTTP. */
  smtp?: true
  /** Over SMTP, to the listener for returned mail. */
  bounces?: true
  /** The number of connections, instead of the ordered one. */
  connections?: number
  /** A request that is repeated, each time after the answer to the last one. */
  request?(target: Target): Uint8Array[]
  /** Octets that are written over TLS again and again, in records of the client's own making. */
  records?(target: Target, records: TlsRecords): Buffer
  /** Octets that are sent once. Then the connection is held open, and `drip` is written repeatedly. */
  hold?(target: Target): Uint8Array[]
  drip?: { octets: string; every: number }
}

/** Splits octets into pieces, so that only one piece at a time is in transit. */
function pieces(...parts: (string | Uint8Array)[]): Uint8Array[] {
  const whole = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const cut: Uint8Array[] = []
  for (let at = 0; at < whole.length; at += 256 * 1024) cut.push(whole.subarray(at, at + 256 * 1024))
  return cut
}

function head(path: string, authorization: string, type: string, length: number): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: abuse.test\r\n${authorization === '' ? '' : `Authorization: ${authorization}\r\n`}` +
    `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  )
}

function json({ token }: Target, body: string | Buffer): Uint8Array[] {
  const length = Buffer.byteLength(body)
  return pieces(head('/emails', `Bearer ${token}`, 'application/json', length), body)
}

/** An ordinary mail with these fields added or replaced. */
function jsonMail(target: Target, fields: object): Uint8Array[] {
  return json(target, JSON.stringify({ ...mail(target), ...fields }))
}

function basic({ token }: Target): string {
  return `Basic ${Buffer.from(`api:${token}`).toString('base64')}`
}

type Part = [name: string, value: string | Buffer, file?: string]

/** A ready message: these lines behind From and To. */
function mime(target: Target, lines: string): Uint8Array[] {
  const message = `From: a@${target.domain}\r\nTo: x@sink.test\r\n${lines}`
  const parts: Part[] = [
    ['to', 'abuse@sink.test'],
    ['message', message, 'm'],
  ]
  return form(target, parts, 'messages.mime')
}

function form(target: Target, parts: Part[], path = 'messages'): Uint8Array[] {
  const chunks: Buffer[] = []
  for (const [name, value, file] of parts) {
    const disposition = `form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`
    chunks.push(Buffer.from(`--abuse\r\nContent-Disposition: ${disposition}\r\n\r\n`), Buffer.from(value))
    chunks.push(Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from('--abuse--\r\n'))
  const body = Buffer.concat(chunks)
  const type = 'multipart/form-data; boundary=abuse'
  return pieces(head(`/v3/${target.domain}/${path}`, basic(target), type, body.length), body)
}

function mail({ domain }: Target): { from: string; to: string; subject: string } {
  return { from: `a@${domain}`, to: 'abuse@sink.test', subject: 'abuse' }
}

function fields(target: Target): Part[] {
  return Object.entries(mail(target))
}

function repeated(text: string, octets: number): string {
  return text.repeat(Math.ceil(octets / text.length))
}

const recipients = (count: number, domain: string) =>
  Array.from({ length: count }, (_, index) => `r${index}@${domain}`)

/** A file with a list of suppressions. */
function imported(target: Target, lines: string): Uint8Array[] {
  return form(target, [['file', `address\n${lines}`, 'list.csv']], 'bounces/import')
}

function got(path: string, fields: string): Uint8Array[] {
  return pieces(`GET ${path} HTTP/1.1\r\nHost: abuse.test\r\n${fields}\r\n\r\n`)
}

/** A request of the console for one view of the large email. */
function looked({ companyId, email, viewer }: Target, what: string): Uint8Array[] {
  const path = `/console/api/companies/${companyId}/emails/${email}${what}`
  return got(path, `Cookie: ${viewer}\r\nX-Postroad-Console: 1`)
}

function chunked(authorization: string): string {
  return head('/emails', authorization, 'application/json', 0).replace(
    'Content-Length: 0',
    'Transfer-Encoding: chunked',
  )
}

/** With a body of JSON, by a key. */
function changed({ token }: Target, method: string, path: string, body: object): Uint8Array[] {
  const text = JSON.stringify(body)
  const posted = head(path, `Bearer ${token}`, 'application/json', Buffer.byteLength(text))
  return pieces(posted.replace('POST', method), text)
}

function loggedIn({ token }: Target): string {
  return `EHLO abuse.test\r\nAUTH PLAIN ${Buffer.from(`\0api\0${token}`).toString('base64')}\r\n`
}

export const ATTACKS: Attack[] = [
  { name: 'nothing', what: 'no abuse, for comparison', connections: 1, hold: () => [] },
  {
    name: 'variables-nested',
    what: '30 MB of nested recipient variables',
    request: (target) => {
      const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`
      const value = `{"abuse@sink.test":{${repeated(`"k":${deep},`, 30 * MIB)}"z":1}}`
      return form(target, [...fields(target), ['text', 't'], ['recipient-variables', value]])
    },
  },
  {
    name: 'variables-keys',
    what: '30 MB of recipient variables with ever new keys',
    request: (target) => {
      const keys = Array.from({ length: 1_500_000 }, (_, index) => `"k${index}":"${index}"`).join(',')
      return form(target, [
        ...fields(target),
        ['text', 't'],
        ['recipient-variables', `{"abuse@sink.test":{${keys}}}`],
      ])
    },
  },
  {
    name: 'placeholders',
    what: '8 MB of placeholders for 30 recipients',
    request: (target) => {
      const to = recipients(30, 'sink.test')
      const variables = Object.fromEntries(to.map((address) => [address, { a: 'x' }]))
      return form(target, [
        ['from', `a@${target.domain}`],
        ['to', to.join(',')],
        ['subject', 's'],
        ['text', repeated('%recipient.a%', 8 * MIB)],
        ['recipient-variables', JSON.stringify(variables)],
      ])
    },
  },
  {
    name: 'json-file',
    what: 'JSON of 53 MB with one file',
    request: (target) => {
      const content = Buffer.alloc(Math.floor(28.5 * MIB), 7).toString('base64')
      return json(
        target,
        JSON.stringify({ ...mail(target), text: 't', attachments: [{ filename: 'f', content }] }).padEnd(
          53 * MIB,
        ),
      )
    },
  },
  {
    name: 'json-keys',
    what: 'JSON of 40 MB of unknown keys',
    request: (target) => {
      const keys = Array.from({ length: 2_200_000 }, (_, index) => `"k${index}":[${index}]`).join(',')
      return json(target, `{"from":"a@${target.domain}","to":"x@sink.test","text":"t",${keys}}`)
    },
  },
  {
    name: 'json-deep',
    what: 'JSON of 20 MB of brackets',
    request: (target) => json(target, `{"from":"a@${target.domain}","x":${'['.repeat(20 * MIB)}`),
  },
  {
    name: 'json-small',
    what: 'JSON of 1 MB of brackets and numbers',
    request: (target) =>
      json(
        target,
        `{"from":"a@${target.domain}","to":"x@sink.test","text":"t","x":[${repeated('[1],', 1_000_000)}1]}`,
      ),
  },
  {
    name: 'html-links',
    what: '1 MB of links in one line of HTML',
    request: (target) => jsonMail(target, { html: repeated('<a href="http://x.test/">y</a>', 990_000) }),
  },
  {
    name: 'html-tags',
    what: '250 KB of open tags, many a second',
    request: (target) => jsonMail(target, { html: repeated('<b><table><td>', 250_000) }),
  },
  {
    name: 'boundaries',
    what: '4 MB of text that looks like boundaries',
    request: (target) => jsonMail(target, { text: repeated('--=_\n--\n', 4 * MIB) }),
  },
  {
    name: 'addresses',
    what: '1,000 recipients with long comments',
    request: (target) => {
      const to = recipients(1_000, 'sink.test').map(
        (address) => `(${'('.repeat(40)}c${')'.repeat(40)}) <${address}>`,
      )
      return json(target, JSON.stringify({ from: `a@${target.domain}`, to, text: 't' }))
    },
  },
  {
    name: 'headers',
    what: '200 KB of header fields',
    request: (target) => {
      const headers = Object.fromEntries(
        Array.from({ length: 4_000 }, (_, index) => [`X-H-${index}`, 'v'.repeat(40)]),
      )
      return jsonMail(target, { text: 't', headers })
    },
  },
  {
    name: 'multipart-parts',
    what: '2,500 parts, each a file',
    request: (target) =>
      form(target, [
        ...fields(target),
        ['text', 't'],
        ...Array.from({ length: 2_500 }, (_, index): Part => ['attachment', `${index}`, `f${index}`]),
      ]),
  },
  {
    name: 'multipart-file',
    what: 'a form with a file of 28 MB',
    request: (target) =>
      form(target, [...fields(target), ['text', 't'], ['attachment', Buffer.alloc(28 * MIB, 7), 'f']]),
  },
  {
    name: 'urlencoded',
    what: '20 MB of urlencoded fields',
    request: (target) => {
      const body = repeated('a=%41&', 20 * MIB)
      const type = 'application/x-www-form-urlencoded'
      return pieces(head(`/v3/${target.domain}/messages`, basic(target), type, body.length), body)
    },
  },
  {
    name: 'mime-boundaries',
    what: 'ready MIME of 20 MB of lines like boundaries',
    request: (target) => {
      const head = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b'
      return mime(target, `${head}\r\n\r\n${repeated('--b\r\n\r\n', 20 * MIB)}--b--\r\n`)
    },
  },
  {
    name: 'mime-headers',
    what: 'ready MIME with 20 MB of header',
    request: (target) =>
      mime(target, `${repeated('X-A: (((((((((((((=?utf-8?q?=28?=\r\n', 20 * MIB)}\r\nbody\r\n`),
  },
  {
    name: 'small-mail',
    what: 'small mail as fast as it goes',
    request: (target) => jsonMail(target, { text: 'x'.repeat(4_000) }),
  },
  {
    name: 'middling-mail',
    what: 'mail of 250 KB as fast as it goes',
    request: (target) => jsonMail(target, { text: repeated('word \n', 250_000) }),
  },
  {
    name: 'parked',
    what: '1,500 requests that stop within their bodies of 250 KB',
    connections: 1_500,
    hold: (target) => json(target, 'x'.repeat(250_000)).map((piece) => piece.subarray(0, 240_000)),
  },
  {
    name: 'parked-large',
    what: '50 bodies of 53 MB that stop within',
    hold: (target) => json(target, Buffer.alloc(53 * MIB, 0x20)).slice(0, 20),
  },
  {
    name: 'drip',
    what: 'bodies that arrive one octet at a time',
    hold: (target) => pieces(head('/emails', `Bearer ${target.token}`, 'application/json', 50 * MIB)),
    drip: { octets: ' ', every: 50 },
  },
  {
    name: 'heads',
    what: '1,500 heads that never end',
    connections: 1_500,
    hold: () => pieces('POST /emails HTTP/1.1\r\nHost: x\r\n', `X-A: ${'a'.repeat(12_000)}\r\n`),
    drip: { octets: 'X: y\r\n', every: 1_000 },
  },
  { name: 'idle', what: '2,000 idle connections', connections: 2_000, hold: () => [] },
  {
    name: 'csv-quotes',
    what: 'lists of suppressions, 60 KB of quotes in one line',
    request: (target) => imported(target, repeated('a"', 60_000)),
  },
  {
    name: 'csv-lines',
    what: 'lists of suppressions, 5 MB of short lines, all wrong',
    request: (target) => imported(target, repeated('"a" b\n', 5 * MIB)),
  },
  {
    name: 'metrics',
    what: 'counts by tag that name one metric 12,000 times, with a key that reads',
    request: (target) => {
      const metrics = Array.from({ length: 12_000 }, () => 'accepted_count')
      const body = JSON.stringify({ metrics, dimensions: ['tag'], pagination: { limit: 1_500 } })
      return pieces(head('/v1/analytics/metrics', basic(target), 'application/json', body.length), body)
    },
  },
  {
    name: 'email-page',
    what: 'the page of an email of 24 MB, by somebody who may only look',
    request: (target) => looked(target, ''),
  },
  {
    name: 'email-source',
    what: 'its source in the console',
    request: (target) => looked(target, '/source'),
  },
  {
    name: 'email-preview',
    what: 'its preview in the console',
    request: (target) => looked(target, '/preview'),
  },
  {
    name: 'email-read',
    what: 'the same email over the JSON API',
    request: (target) => got(`/emails/${target.email}`, `Authorization: Bearer ${target.token}`),
  },
  {
    name: 'email-mime',
    what: 'the same as message/rfc2822 over the form API',
    request: (target) =>
      got(
        `/v3/domains/${target.domain}/messages/${target.email}`,
        `Authorization: ${basic(target)}\r\nAccept: message/rfc2822`,
      ),
  },
  {
    name: 'dust',
    what: 'bodies in chunks of one octet',
    connections: 400,
    request: (target) => pieces(chunked(`Bearer ${target.token}`), repeated('1\r\nx\r\n', 500_000)),
  },
  {
    name: 'dust-no-key',
    what: 'the same without a key',
    connections: 400,
    request: () => pieces(chunked('Bearer pr_nothing'), repeated('1\r\nx\r\n', 500_000)),
  },
  {
    name: 'pipelined',
    what: '3,000 heads in one piece',
    connections: 400,
    request: () => pieces(repeated('GET /emails/1 HTTP/1.1\r\nHost: x\r\n\r\n', 110_000)),
  },
  {
    name: 'fields',
    what: 'heads of 1,900 fields, sixteen in one piece',
    connections: 400,
    request: () =>
      pieces(repeated(`GET /emails/1 HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(1_900)}\r\n`, 16 * 7_650)),
  },
  {
    name: 'smtp-recipients',
    what: 'recipients over SMTP, pipelined, each of 2,000 octets of escapes',
    smtp: true,
    request: (target) =>
      pieces(
        loggedIn(target),
        `MAIL FROM:<> SMTPUTF8\r\n${repeated(`RCPT TO:<"${'\\"'.repeat(950)}"@a.b>\r\n`, 500_000)}`,
      ),
  },
  {
    name: 'smtp-parameters',
    what: 'MAIL with 300 parameters over SMTP, pipelined',
    smtp: true,
    request: (target) => {
      const parameters = Array.from({ length: 300 }, (_, index) => `A${index}=b`)
        .join(' ')
        .slice(0, 1_900)
      return pieces(loggedIn(target), repeated(`MAIL FROM:<> ${parameters}\r\n`, 200_000))
    },
  },
  {
    name: 'smtp-lines',
    what: 'a message of empty lines over SMTP',
    smtp: true,
    request: (target) =>
      pieces(
        loggedIn(target),
        `MAIL FROM:<>\r\nRCPT TO:<abuse@sink.test>\r\nDATA\r\n${repeated('..\r\n', 10 * MIB)}.\r\n`,
      ),
  },
  {
    name: 'bounce-flood',
    what: 'bounces by strangers, pipelined, for recipients that do not exist and one that takes them',
    bounces: true,
    request: ({ bounceAddress }) => {
      const mail = `From: mailer-daemon@x.test\r\nContent-Type: message/delivery-status\r\n\r\n${'Final-Recipient: rfc822; a@x.test\r\nAction: failed\r\n\r\n'.repeat(500)}`
      const refused = 'RCPT TO:<baaaaaaaa@bounces.x.test>\r\n'.repeat(20)
      const one = `MAIL FROM:<>\r\n${refused}RCPT TO:<${bounceAddress}>\r\nDATA\r\n${mail}.\r\n`
      return pieces('EHLO x\r\n', one)
    },
  },
  {
    name: 'email-content',
    what: 'what the page of that email shows of its content, by somebody who may only look',
    connections: 150,
    request: (target) => looked(target, '/content'),
  },
  {
    name: 'reschedules',
    what: 'another time for one scheduled email, as fast as it goes',
    request: (target) => {
      const scheduled_at = new Date(Date.now() + 90_000_000).toISOString()
      return changed(target, 'PATCH', `/emails/${target.scheduled}`, { scheduled_at })
    },
  },
  {
    name: 'cancels',
    what: 'emails canceled that there are not, as fast as it goes',
    request: (target) => changed(target, 'POST', '/emails/01990000-0000-7000-8000-000000000000/cancel', {}),
  },
  {
    name: 'suppressions',
    what: 'a hundred suppressions a request, the same each time',
    request: (target) => {
      const emails = Array.from({ length: 100 }, (_, index) => `s${index}@sink.test`)
      return changed(target, 'POST', '/suppressions/batch/add', { emails })
    },
  },
  {
    name: 'event-log',
    what: 'pages of 300 events over the form API',
    request: (target) => {
      const body = JSON.stringify({ pagination: { limit: 300 } })
      return pieces(head('/v1/analytics/logs', basic(target), 'application/json', body.length), body)
    },
  },
  {
    name: 'latencies',
    what: 'how long delivery took over a day, by somebody who may only look',
    request: ({ companyId, viewer }) =>
      got(
        `/console/api/companies/${companyId}/overview/latency?span=day`,
        `Cookie: ${viewer}\r\nX-Postroad-Console: 1`,
      ),
  },
  {
    name: 'live',
    what: 'live streams of the console, opened and left by 200 at once',
    connections: 200,
    hold: ({ companyId, viewer }) =>
      got(`/console/api/companies/${companyId}/live`, `Cookie: ${viewer}\r\nX-Postroad-Console: 1`),
  },
  {
    name: 'no-key',
    what: 'bodies of 53 MB without a key',
    request: () => pieces(head('/emails', '', 'application/json', 53 * MIB), Buffer.alloc(53 * MIB, 0x20)),
  },
  {
    name: 'no-key-small',
    what: 'requests without a key, as fast as it goes',
    request: () => pieces(head('/emails', 'Bearer pr_nothing', 'application/json', 2_000), 'x'.repeat(2_000)),
  },
  {
    name: 'ready',
    what: 'questions about readiness, as fast as it goes',
    request: () => pieces('GET /ready HTTP/1.1\r\nHost: x\r\n\r\n'),
  },
]

/** The same on a service that speaks TLS. */
export const ATTACKS_ON_TLS: Attack[] = [
  { name: 'tls-nothing', what: 'no abuse, over TLS, for comparison', connections: 1, hold: () => [] },
  {
    name: 'tls-handshakes',
    what: 'TLS handshakes without end',
    connections: 140,
    records: () => Buffer.alloc(0),
  },
  {
    name: 'tls-keys',
    what: 'new keys of TLS with each record (KeyUpdate), without a key of ours',
    connections: 20,
    records: (_target, records) => records.keyUpdates(2_000),
  },
  {
    name: 'tls-octets',
    what: 'bodies in records of one octet',
    connections: 20,
    records: (target, records) => {
      const begin = head('/emails', `Bearer ${target.token}`, 'application/json', 20_000)
      return Buffer.concat([records.data(begin), records.data(' '.repeat(2_000), 1)])
    },
  },
  {
    name: 'tls-octets-no-key',
    what: 'the same without a key',
    connections: 20,
    records: (_target, records) => {
      const begin = head('/emails', 'Bearer pr_nothing', 'application/json', 20_000)
      return Buffer.concat([records.data(begin), records.data(' '.repeat(2_000), 1)])
    },
  },
  {
    name: 'tls-smtp-keys',
    what: 'new keys of TLS with each record over SMTP',
    smtp: true,
    connections: 20,
    records: (_target, records) => records.keyUpdates(2_000),
  },
  {
    name: 'tls-smtp-octets',
    what: 'commands in records of one octet over SMTP',
    smtp: true,
    connections: 20,
    records: (_target, records) => records.data(repeated('NOOP\r\n', 2_000), 1),
  },
]
