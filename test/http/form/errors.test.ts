/** Every row of the form dialect's error table: status, the sentence its clients know, and nothing left behind. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertFormError, basic, call, emailCount, type Part, type Reply } from '../requests.ts'

type Fields = [name: string, value: string][]

describe('the form dialect refuses', () => {
  let service: Service
  let api: Api
  let companyId: string
  const minimal: Fields = [
    ['from', 'Ann <ann@acme.example>'],
    ['to', 'bob@x.test'],
    ['text', 'hello'],
  ]

  before(async () => {
    service = await startService({ maxMessageSize: 600_000 })
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
    await service.domain(company.id, 'second.example')
    await service.domain(company.id, 'inactive.example', 'inactive')
    await service.domain(company.id, 'suspended.example', 'suspended')
    const other = await service.company()
    await service.domain(other.id, 'other.example')
  })
  after(() => service.close())

  const without = (field: string) => minimal.filter(([name]) => name !== field)
  const sent =
    (...fields: Fields) =>
    () =>
      api.form('acme.example', [...minimal, ...fields])
  const replaced = (field: string, value: string) => () =>
    api.form('acme.example', [...without(field), [field, value]])
  const parts =
    (...more: Part[]) =>
    () =>
      api.multipart('acme.example', [...minimal.map(([name, value]) => ({ name, value })), ...more])
  const post = (
    headers: Record<string, string>,
    body: string | URLSearchParams | null = new URLSearchParams(minimal),
  ) => call(`${api.url}/v3/acme.example/messages`, { method: 'POST', headers, body })

  describe('credentials with 401 Forbidden as text/plain and a challenge', () => {
    const token = () => api.token
    const headers: Record<string, () => Record<string, string>> = {
      'none at all': () => ({}),
      'an unknown key': () => ({ authorization: basic(`pr_${'x'.repeat(32)}`) }),
      'an empty key': () => ({ authorization: basic('') }),
      'another user name than api': () => ({ authorization: basic(token(), 'API') }),
      'an empty user name': () => ({ authorization: basic(token(), '') }),
      'a key with something behind it': () => ({ authorization: basic(`${token()} `) }),
      'the scheme of the other dialect': () => ({ authorization: `Bearer ${token()}` }),
      'no colon': () => ({ authorization: `Basic ${Buffer.from(`api${token()}`).toString('base64')}` }),
      'text that is not base64': () => ({ authorization: 'Basic !!!' }),
    }
    for (const [what, make] of Object.entries(headers)) {
      test(what, async () => {
        const reply = await post(make())
        assert.equal(reply.status, 401)
        assert.equal(reply.text, 'Forbidden')
        assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic realm=".+"$/)
      })
    }

    test('bad credentials before it reveals anything about a domain', async () => {
      const reply = await call(`${api.url}/v3/other.example/messages`, { method: 'POST' })
      assert.equal(reply.status, 401)
    })
  })

  const address = (field: string) => `${field} parameter is not a valid address. please check documentation`
  interface Row {
    rule: string
    ask: () => Promise<Reply>
    status: number
    message: string | RegExp
  }
  const rows: Row[] = [
    ...['unknown.example', 'other.example', 'nonsense'].map((domain) => ({
      rule: `the domain ${domain}`,
      ask: () => api.form(domain, minimal),
      status: 404,
      message: `Domain not found: ${domain}`,
    })),
    ...['inactive.example', 'suspended.example'].map((domain) => ({
      rule: `sending from ${domain}`,
      ask: () =>
        api.form(domain, [
          ['from', `a@${domain}`],
          ['to', 'b@x.test'],
          ['text', 't'],
        ]),
      status: 403,
      message: new RegExp(`^Domain ${domain} is not allowed to send: .+`),
    })),
    {
      rule: 'a missing from',
      ask: () => api.form('acme.example', without('from')),
      status: 400,
      message: 'from parameter is missing',
    },
    { rule: 'an empty from', ask: replaced('from', ''), status: 400, message: 'from parameter is missing' },
    {
      rule: 'a missing to',
      ask: () => api.form('acme.example', without('to')),
      status: 400,
      message: 'to parameter is missing',
    },
    { rule: 'an empty to', ask: replaced('to', ''), status: 400, message: 'to parameter is missing' },
    {
      rule: 'no fields at all',
      ask: () => post({ authorization: basic(api.token) }, null),
      status: 400,
      message: 'from parameter is missing',
    },
    { rule: 'a bad from', ask: replaced('from', 'nonsense'), status: 400, message: address('from') },
    { rule: 'a bad to', ask: replaced('to', 'sally.x.test'), status: 400, message: address('to') },
    { rule: 'a bad cc', ask: sent(['cc', 'a@']), status: 400, message: address('cc') },
    { rule: 'a bad bcc', ask: sent(['bcc', '@x.test']), status: 400, message: address('bcc') },
    {
      rule: 'one bad address among good ones',
      ask: sent(['to', 'a@x.test, b@y.test, nonsense']),
      status: 400,
      message: address('to'),
    },
    {
      rule: 'a bad h:Reply-To',
      ask: sent(['h:Reply-To', 'nonsense']),
      status: 400,
      message: address('h:Reply-To'),
    },
    {
      rule: 'neither text nor html',
      ask: () => api.form('acme.example', without('text')),
      status: 400,
      message: "Need at least one of 'text' or 'html' parameters specified",
    },
    {
      rule: 'an empty text and no html',
      ask: replaced('text', ''),
      status: 400,
      message: "Need at least one of 'text' or 'html' parameters specified",
    },
    {
      rule: 'empty text and html',
      ask: () => api.form('acme.example', [...without('text'), ['text', ''], ['html', '']]),
      status: 400,
      message: "Need at least one of 'text' or 'html' parameters specified",
    },
    ...['a@second.example', 'a@sub.acme.example', 'a@other.example'].map((from) => ({
      rule: `the sender ${from}, who is not of the domain in the path`,
      ask: replaced('from', from),
      status: 400,
      message: /^from parameter is not valid: .*acme\.example/,
    })),
    {
      rule: 'more than 1000 recipients',
      ask: () =>
        api.form('acme.example', [
          ...minimal,
          ...Array.from({ length: 1000 }, (_, index): [string, string] => ['to', `a${index}@x.test`]),
        ]),
      status: 400,
      message: 'Too many recipients, max is 1000',
    },
    ...['o:x', 'h:X-A', 'v:x', 't:variables'].map((name) => ({
      rule: `${name} of 17 KB`,
      ask: sent([name, 'x'.repeat(17 * 1024)]),
      status: 400,
      message: 'Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total',
    })),
    {
      rule: 'options of over 16 KB together',
      ask: sent(
        ...Array.from({ length: 200 }, (_, index): [string, string] => [`v:${index}`, 'x'.repeat(100)]),
      ),
      status: 400,
      message: 'Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total',
    },
    ...['{bad', 'nonsense', '7', '"a"', '{"a@x.test":7}', '[1]'].map((value) => ({
      rule: `recipient-variables ${value}`,
      ask: sent(['recipient-variables', value]),
      status: 400,
      message: "'recipient-variables' parameter is not a valid JSON",
    })),
    ...[
      'not-a-date',
      '2026-11-20T10:00:00Z',
      'Fri, 31 Feb 2027 10:00:00 GMT',
      'Fri, 20 Nov 2026 25:00:00 GMT',
    ].map((value) => ({
      rule: `o:deliverytime=${value}`,
      ask: sent(['o:deliverytime', value]),
      status: 400,
      message: `${value} is not an RFC-2822 compliant date`,
    })),
    {
      rule: 'o:deliverytime more than 30 days ahead',
      ask: sent(['o:deliverytime', new Date(Date.now() + 31 * 86_400_000).toUTCString()]),
      status: 400,
      message: 'Specific delivery time must not be farther than 30 days from now',
    },
    {
      rule: 'a template beside html',
      ask: sent(['html', '<p>x</p>'], ['template', 't']),
      status: 400,
      message: "Only one parameters 'html' or 'template' is allowed",
    },
    ...(
      [
        ['o:sending-ip', '192.0.2.1'],
        ['o:sending-ip', 'mail.x.test'],
        ['o:sending-ip-pool', 'pool'],
        ['h:X-Mailgun-Sending-Ip', '192.0.2.1'],
      ] as Fields
    ).map(([name, value]) => ({
      rule: `${name}=${value}, a source that mail of the company does not have`,
      ask: sent([name, value]),
      status: 400,
      message: new RegExp(`^${name} parameter is not valid: .*${value}`),
    })),
    ...(
      [
        ['template', 't'],
        ['o:dkim', 'no'],
        ['o:dkim', '0'],
        ['h:X-Mailgun-Dkim', 'off'],
        ['h:X-Mailgun-Template-Name', 't'],
        ['o:secondary-dkim', 'x.test/s'],
        ['o:deliverytime-optimize-period', '24h'],
        ['o:time-zone-localize', '10:00'],
        ['o:archive-to', 'https://x.test/'],
      ] as Fields
    ).map(([name, value]) => ({
      rule: `${name}=${value}, which would change what happens and does not work`,
      ask: sent([name, value]),
      status: 400,
      message: new RegExp(`^${name} parameter is not supported: .+`),
    })),
    ...['o:testmode', 'o:require-tls', 'o:dkim', 'h:X-Mailgun-Drop-Message'].map((name) => ({
      rule: `${name}=maybe`,
      ask: sent([name, 'maybe']),
      status: 400,
      message: new RegExp(`^${name} parameter is not valid: "maybe" is neither yes .* nor no`),
    })),
    ...['59s', '31d', 'soon', '1h 30m', '5'].map((value) => ({
      rule: `o:deliver-within=${value}`,
      ask: sent(['o:deliver-within', value]),
      status: 400,
      message: new RegExp(`^o:deliver-within parameter is not valid: "${value}" is not a time such as`),
    })),
    ...['{bad', '[1]', `{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`].map((value) => ({
      rule: `h:X-Mailgun-Variables ${value.slice(0, 20)}`,
      ask: sent(['h:X-Mailgun-Variables', value]),
      status: 400,
      message: "'h:X-Mailgun-Variables' parameter is not a valid JSON",
    })),
    {
      rule: 'h:X-Mailgun-Deliver-By more than 30 days ahead',
      ask: sent(['h:X-Mailgun-Deliver-By', new Date(Date.now() + 31 * 86_400_000).toUTCString()]),
      status: 400,
      message: 'Specific delivery time must not be farther than 30 days from now',
    },
    ...['attachments', 'file', 'upload', 'html', 'subject', 'o:tag', 'message'].map((name) => ({
      rule: `a file in the field ${name}, which takes none`,
      ask: parts({ name, value: 'x', filename: 'a.txt' }),
      status: 400,
      message: new RegExp(`^${name} parameter is not valid: .*attachment and inline`),
    })),
    ...['caf\xe9', 'caf%E9', '%C3', '%ff%fe'].map((value) => ({
      rule: `urlencoded octets that are not UTF-8: ${value}`,
      ask: () =>
        call(`${api.url}/v3/acme.example/messages`, {
          method: 'POST',
          headers: { authorization: basic(api.token), 'content-type': 'application/x-www-form-urlencoded' },
          body: Buffer.from(`from=ann@acme.example&to=b@x.test&text=t&subject=${value}`, 'latin1'),
        }),
      status: 400,
      message: /^The value of subject is not text in UTF-8/,
    })),
    {
      rule: 'a charset nobody knows',
      ask: () =>
        post(
          {
            authorization: basic(api.token),
            'content-type': 'application/x-www-form-urlencoded; charset=x-none',
          },
          'from=x',
        ),
      status: 400,
      message: /is not text in x-none/,
    },
    {
      rule: 'a header name that is not ASCII',
      ask: sent(['h:X-Ä', '1']),
      status: 400,
      message: 'Header name must be pure ASCII: X-Ä',
    },
    ...['h:', 'h:X A', 'h:X:A'].map((name) => ({
      rule: `the header name ${name}, which RFC 5322 does not allow`,
      ask: sent([name, '1']),
      status: 400,
      message: /^h:/,
    })),
    {
      rule: 'a header name in brackets: they are not stripped from h:',
      ask: sent(['h:X A[]', '1']),
      status: 400,
      message: /^h:X A\[\]/,
    },
    {
      rule: 'an attachment without a file name',
      ask: parts({ name: 'attachment', value: 'x', type: 'application/octet-stream' }),
      status: 400,
      message: /no file name/,
    },
    {
      rule: 'an attachment that is a plain field',
      ask: parts({ name: 'attachment[0]', value: 'x' }),
      status: 400,
      message: /no file name/,
    },
    {
      rule: 'an urlencoded attachment',
      ask: sent(['attachment', 'x']),
      status: 400,
      message: /no file name/,
    },
    {
      rule: 'an inline file with an empty name',
      ask: parts({ name: 'inline', value: 'x', filename: '' }),
      status: 400,
      message: /no file name/,
    },
    {
      rule: 'a file whose name is a folder',
      ask: parts({ name: 'attachment', value: 'x', filename: '../../..' }),
      status: 400,
      message: /no file name/,
    },
    {
      rule: 'a file name with a line break',
      ask: parts({
        name: 'attachment',
        value: 'x',
        disposition: 'form-data; name="attachment"; filename*=UTF-8\'\'a%0D%0AX:%20y.txt',
      }),
      status: 400,
      message: /file name/,
    },
    {
      rule: 'a message over the limit',
      ask: replaced('text', `${'x'.repeat(70)}\n`.repeat(9_000)),
      status: 413,
      message: /0\.6 MB/,
    },
    {
      rule: 'an urlencoded body over the limit',
      ask: replaced('text', 'x'.repeat(2_000_000)),
      status: 413,
      message: /1\.8 MB/,
    },
    {
      rule: 'a multipart body over the limit',
      ask: parts({ name: 'attachment', value: 'x'.repeat(2_000_000), filename: 'a' }),
      status: 413,
      message: /1\.8 MB/,
    },
    {
      rule: 'a JSON body',
      ask: () => post({ authorization: basic(api.token), 'content-type': 'application/json' }, '{}'),
      status: 400,
      message:
        "Invalid request content type. Expecting 'multipart/form-data' or 'application/x-www-form-urlencoded' but got 'application/json'",
    },
    {
      rule: 'a broken escape',
      ask: () =>
        post(
          { authorization: basic(api.token), 'content-type': 'application/x-www-form-urlencoded' },
          'from=%zz',
        ),
      status: 400,
      message: 'unable to parse request: invalid URL escape',
    },
    {
      rule: 'a compressed body',
      ask: () => post({ authorization: basic(api.token), 'content-encoding': 'gzip' }),
      status: 415,
      message: /gzip/,
    },
    {
      rule: 'the wrong method',
      ask: async () => {
        const reply = await call(`${api.url}/v3/acme.example/messages`)
        assert.equal(reply.headers.get('allow'), 'POST')
        return reply
      },
      status: 405,
      message: /POST/,
    },
    {
      rule: 'an unknown path',
      ask: () => call(`${api.url}/v3/acme.example/nothing`),
      status: 404,
      message: 'Not Found',
    },
    ...['%zz', 'x'.repeat(2_000)].map((domain) => ({
      rule: `a path that cannot be a domain: ${domain.slice(0, 20)}`,
      ask: () => api.form(domain, minimal),
      status: 404,
      message: /^Domain not found: /,
    })),
  ]

  for (const { rule, ask, status, message } of rows) {
    test(`${rule}: ${status}`, async () => {
      const before = await emailCount(service, companyId)
      assertFormError(await ask(), status, message)
      assert.equal(await emailCount(service, companyId), before, 'a refused request must leave nothing')
    })
  }

  test('a key without the scope sending: 403', async () => {
    const key = await service.key(companyId, { scopes: ['reading'] })
    assertFormError(await new Api(api.url, key.token).form('acme.example', minimal), 403, /sending/)
  })

  test('a key for another domain: 403 that names its domain', async () => {
    const third = await service.domain(companyId, 'third.example')
    const key = await service.key(companyId, { domainId: third.id })
    for (const domain of ['acme.example', 'other.example', 'unknown.example']) {
      assertFormError(await new Api(api.url, key.token).form(domain, minimal), 403, /third\.example/)
    }
  })

  test('parameters are checked before the state of the domain', async () => {
    const reply = await api.form('inactive.example', [
      ['from', 'a@inactive.example'],
      ['to', 'nonsense'],
      ['text', 't'],
    ])
    assertFormError(reply, 400, address('to'))
  })
})
