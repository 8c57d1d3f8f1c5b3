/** Every row of the JSON dialect's error table: status, name, exact shape, and nothing left behind. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, call, emailCount, type Reply } from '../requests.ts'

describe('the JSON dialect refuses', () => {
  let service: Service
  let api: Api
  let companyId: string
  const minimal = { from: 'Ann <ann@acme.example>', to: 'bob@x.test', text: 'hello' }

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

  const post = (headers: Record<string, string>, body = JSON.stringify(minimal)) =>
    call(`${api.url}/emails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  const unverified = (domain: string) =>
    `The \`${domain}\` domain is not verified. Please, add and verify your domain`

  interface Row {
    rule: string
    ask: () => Promise<Reply>
    status: number
    name: string
    message?: string | RegExp
  }
  const sent = (change: object) => () => api.send({ ...minimal, ...change })
  const rows: Row[] = [
    {
      rule: 'no Authorization header',
      ask: () => post({}),
      status: 401,
      name: 'missing_api_key',
      message: 'Missing API key in the authorization header',
    },
    {
      rule: 'an unknown key',
      ask: () => post({ authorization: `Bearer pr_${'x'.repeat(32)}` }),
      status: 401,
      name: 'invalid_api_key',
      message: 'API key is invalid',
    },
    ...['Bearer', 'Bearer ', 'Bearer undefined', 'nonsense', 'Basic YXBpOng=', 'Bearer a b'].map(
      (header) => ({
        rule: `a malformed key: ${JSON.stringify(header)}`,
        ask: () => post({ authorization: header }),
        status: 401,
        name: 'invalid_api_key',
        message: 'API key is invalid',
      }),
    ),
    {
      rule: 'a key in the scheme of the other dialect',
      ask: () => post({ authorization: `Basic ${Buffer.from(`api:${api.token}`).toString('base64')}` }),
      status: 401,
      name: 'invalid_api_key',
    },
    {
      rule: 'a missing from',
      ask: sent({ from: undefined }),
      status: 422,
      name: 'missing_required_field',
      message: 'Missing `from` field.',
    },
    {
      rule: 'a from that is null',
      ask: sent({ from: null }),
      status: 422,
      name: 'missing_required_field',
      message: 'Missing `from` field.',
    },
    ...[undefined, null, [], '', ['']].map((to) => ({
      rule: `a missing to: ${JSON.stringify(to)}`,
      ask: sent({ to }),
      status: 422,
      name: 'missing_required_field',
      message: 'Missing `to` field.',
    })),
    ...[
      { text: undefined },
      { text: null },
      { text: '' },
      { text: '', html: '' },
      { text: null, html: null },
    ].map((body) => ({
      rule: `neither html nor text: ${JSON.stringify(body)}`,
      ask: sent(body),
      status: 422,
      name: 'validation_error',
      message: 'Missing `html` or `text` field.',
    })),
    ...(['from', 'to', 'cc', 'bcc', 'reply_to'] as const).flatMap((field) => [
      {
        rule: `a bad address in ${field}`,
        ask: sent({ [field]: 'nonsense' }),
        status: 422,
        name: 'validation_error',
        message: new RegExp(`^Invalid \`${field}\` field\\. `),
      },
      {
        rule: `a number for ${field}`,
        ask: sent({ [field]: 7 }),
        status: 422,
        name: 'validation_error',
        message: new RegExp(`^Invalid \`${field}\` field\\. `),
      },
    ]),
    {
      rule: 'one bad address among good ones',
      ask: sent({ to: ['a@x.test', 'b@x.test, c@', 'd@x.test'] }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `to` field\. /,
    },
    {
      rule: 'an array of other things than strings as addresses',
      ask: sent({ to: ['a@x.test', { email: 'b@x.test' }] }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `to` field\. /,
    },
    {
      rule: 'two senders',
      ask: sent({ from: 'a@acme.example, b@acme.example' }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `from` field\. /,
    },
    ...(['unknown.example', 'other.example', 'inactive.example', 'suspended.example'] as const).map(
      (domain) => ({
        rule: `a sender at ${domain}, with one text for all`,
        ask: sent({ from: `a@${domain}` }),
        status: 403,
        name: 'validation_error',
        message: unverified(domain),
      }),
    ),
    ...(['subject', 'html', 'text'] as const).map((field) => ({
      rule: `a ${field} that is not a string`,
      ask: sent({ [field]: { a: 1 } }),
      status: 422,
      name: 'validation_error',
      message: new RegExp(`^Invalid \`${field}\` field\\. `),
    })),
    ...[{ 'X-A': {} }, ['X-A', '1'], 'X-A: 1'].map((headers) => ({
      rule: `headers that are not an object of strings: ${JSON.stringify(headers)}`,
      ask: sent({ headers }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `headers` field\. /,
    })),
    ...['', 'X A', 'X:A', 'X\u00fc', 'X\u0000'].map((name) => ({
      rule: `a header name RFC 5322 does not allow: ${JSON.stringify(name)}`,
      ask: sent({ headers: { [name]: 'v' } }),
      status: 422,
      name: 'validation_error',
    })),
    ...[{ a: 'b' }, [{ name: 'a' }], ['a']].map((tags) => ({
      rule: `bad tags: ${JSON.stringify(tags)}`,
      ask: sent({ tags }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `tags` field\. /,
    })),
    ...['ä', 'b c', '', 'x'.repeat(257)].map((value) => ({
      rule: `a tag of ${JSON.stringify(value.slice(0, 10))}`,
      ask: sent({ tags: [{ name: 'a', value }] }),
      status: 422,
      name: 'validation_error',
      message: /^Tags should only contain ASCII letters/,
    })),
    ...[
      '2026-11-20',
      '2026-11-20T10:00:00',
      '2027-02-30T10:00:00Z',
      '12/11/2026',
      1,
      'x',
      'soon, in 1 hour',
      'in 1 hour or so',
      'today from 9am to 5pm',
      `in ${' '.repeat(100)} 1 hour`,
    ].map((scheduled_at) => ({
      rule: `a scheduled_at that is no time: ${JSON.stringify(scheduled_at)}`,
      ask: sent({ scheduled_at }),
      status: 422,
      name: 'validation_error',
      message: /^Invalid `scheduled_at` field\. .*ISO 8601/,
    })),
    {
      rule: 'a scheduled_at more than 30 days ahead',
      ask: sent({ scheduled_at: new Date(Date.now() + 31 * 86_400_000).toISOString() }),
      status: 422,
      name: 'validation_error',
      message: /30 days/,
    },
    {
      rule: 'a phrase more than 30 days ahead',
      ask: sent({ scheduled_at: 'in 3 months' }),
      status: 422,
      name: 'validation_error',
      message: /30 days/,
    },
    ...['topic_id', 'topicId'].map((key) => ({
      rule: `a ${key}, instead of ignoring it`,
      ask: sent({ [key]: '0198f0c0-0000-7000-8000-000000000000' }),
      status: 422,
      name: 'validation_error',
      message: /^`topic_id` is not supported/,
    })),
    {
      rule: 'a template, instead of ignoring it',
      ask: sent({ template: { id: 't' } }),
      status: 422,
      name: 'validation_error',
      message: /^`template` is not supported/,
    },
    {
      rule: 'more than 1000 recipients',
      ask: sent({ to: Array.from({ length: 1001 }, (_, index) => `a${index}@x.test`) }),
      status: 422,
      name: 'validation_error',
      message: /1001.*1000/,
    },
    {
      rule: 'a composed message over the limit, naming it',
      ask: sent({ text: `${'x'.repeat(70)}\n`.repeat(9_000) }),
      status: 413,
      name: 'validation_error',
      message: /0\.6 MB/,
    },
    {
      rule: 'a request body over the limit, naming it',
      ask: () => api.send(`{"text":"${'x'.repeat(2_000_000)}"}`),
      status: 413,
      name: 'validation_error',
      message: /1\.8 MB/,
    },
    ...['', '{', '{"a":1,}', 'nonsense', '{"a":"\n"}', "{'a':1}"].map((body) => ({
      rule: `a body that is not JSON: ${JSON.stringify(body)}`,
      ask: () => api.send(body),
      status: 400,
      name: 'validation_error',
      message: body === '' ? /empty/ : /at line \d+, column \d+/,
    })),
    ...['[]', 'null', '"a"', '7'].map((body) => ({
      rule: `a body that is not an object: ${body}`,
      ask: () => api.send(body),
      status: 400,
      name: 'validation_error',
      message: /object/,
    })),
    {
      rule: 'a body that is not UTF-8',
      ask: () => api.send(Buffer.from('{"subject":"\u00fc"}', 'latin1')),
      status: 400,
      name: 'validation_error',
      message: /UTF-8/,
    },
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'nonsense',
    ].map((type) => ({
      rule: `the media type ${type}`,
      ask: () => api.send(minimal, { 'content-type': type }),
      status: 415,
      name: 'validation_error',
    })),
    {
      rule: 'a body without a media type',
      ask: () =>
        call(`${api.url}/emails`, {
          method: 'POST',
          headers: { authorization: `Bearer ${api.token}` },
          body: new Uint8Array([0x7b, 0x7d]),
        }),
      status: 415,
      name: 'validation_error',
    },
    {
      rule: 'a compressed body, however small',
      ask: () => api.send(minimal, { 'content-encoding': 'gzip' }),
      status: 415,
      name: 'validation_error',
      message: /gzip/,
    },
    {
      rule: 'an unknown path',
      ask: () => api.get('/nothing/here'),
      status: 404,
      name: 'not_found',
    },
    {
      rule: 'the wrong method, naming the right one',
      ask: async () => {
        const reply = await call(`${api.url}/emails`, { method: 'DELETE' })
        assert.equal(reply.headers.get('allow'), 'GET, HEAD, POST')
        return reply
      },
      status: 405,
      name: 'method_not_allowed',
    },
    ...['DELETE', 'PUT', 'OPTIONS'].map((method) => ({
      rule: `${method} on an email`,
      ask: async () => {
        const reply = await call(`${api.url}/emails/x`, { method })
        assert.equal(reply.headers.get('allow'), 'GET, HEAD, PATCH')
        return reply
      },
      status: 405,
      name: 'method_not_allowed',
    })),
  ]

  for (const { rule, ask, status, name, message } of rows) {
    test(`${rule}: ${status} ${name}`, async () => {
      const before = await emailCount(service, companyId)
      assertJsonError(await ask(), status, name, message)
      assert.equal(await emailCount(service, companyId), before, 'a refused request must leave nothing')
    })
  }

  test('a key without the scope sending: 403 restricted_api_key that names the scope', async () => {
    const key = await service.key(companyId, { scopes: ['reading'] })
    const reply = await new Api(api.url, key.token).send(minimal)
    assertJsonError(reply, 403, 'restricted_api_key', /`sending`/)
  })

  test('a key for another domain: 403 restricted_api_key that names the domain it may send from', async () => {
    const second = await service.domain(companyId, 'third.example')
    const key = await service.key(companyId, { domainId: second.id })
    for (const from of ['a@acme.example', 'a@unknown.example', 'a@other.example']) {
      const reply = await new Api(api.url, key.token).send({ ...minimal, from })
      assertJsonError(reply, 403, 'restricted_api_key', /`third\.example`/)
    }
    assert.equal(
      (await new Api(api.url, key.token).send({ ...minimal, from: 'a@third.example' })).status,
      200,
    )
  })

  test('the answers about an unknown domain and one of another company differ only in the name', async () => {
    const unknown = await api.send({ ...minimal, from: 'a@unknown.example' })
    const foreign = await api.send({ ...minimal, from: 'a@other.example' })
    assert.equal(unknown.text.replace('unknown', 'other'), foreign.text)
  })
})
