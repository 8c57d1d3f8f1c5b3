/** Batch sending: what is refused so that no copy is accepted that can never be made, and at what cost that is found out. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Api, assertFormError, emailCount } from '../http/requests.ts'
import { type Service, startService } from '../support/service.ts'

describe('batch sending at the intake', () => {
  let service: Service
  let api: Api
  let companyId: string

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const addresses = Array.from({ length: 1000 }, (_, n) => `a${n}@x.test`)
  const sent = (fields: Record<string, string>, variables: object, to = ['bob@x.test']) =>
    api.multipart('acme.example', [
      { name: 'from', value: fields.from ?? 'ann@acme.example' },
      ...to.map((value) => ({ name: 'to', value })),
      ...Object.entries({ text: 'hello', ...fields })
        .filter(([name]) => name !== 'from')
        .map(([name, value]) => ({ name, value })),
      { name: 'recipient-variables', value: JSON.stringify(variables) },
    ])
  const mime = (message: string | Uint8Array, variables: object, to = ['bob@x.test']) =>
    api.multipart(
      'acme.example',
      [
        ...to.map((value) => ({ name: 'to', value })),
        { name: 'recipient-variables', value: JSON.stringify(variables) },
        { name: 'message', value: message, filename: 'message.mime' },
      ],
      'messages.mime',
    )
  const ready = (body: string, type = 'text/plain') =>
    `From: ann@acme.example\r\nTo: %recipient%\r\nSubject: s\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`
  const bob = (values: Record<string, string>) => ({ 'bob@x.test': values })
  const each = (value: string) => Object.fromEntries(addresses.map((address) => [address, { a: value }]))

  test('answers a subject of placeholders for a thousand recipients', async () => {
    const refused = await sent({ subject: '%recipient.a%'.repeat(200_000) }, each('x'), addresses)
    assertFormError(refused, 400, /^subject parameter is not valid: .*262144/)
    const fewer = await sent({ subject: '%recipient.a%'.repeat(20_000) }, each('x'), addresses)
    assertFormError(fewer, 400, /^recipient-variables parameter is not valid: for a0@x\.test: .*16384/)
    assert.equal(await emailCount(service, companyId), 0)
    const most = await sent({ subject: '%recipient.a% '.repeat(1100) }, each('x'), addresses)
    assert.equal(most.status, 200, most.text)
  })

  test('looks at the values of recipients only', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, n) => [`other${n}@x.test`, { a: 'line\nbreak' }]),
    )
    const reply = await sent({ subject: 'Hi %recipient.a%' }, { ...others, 'BOB@x.test': { a: 'B' } })
    assert.equal(reply.status, 200, reply.text)
    const bad = await sent({ subject: 'Hi %recipient.a%' }, { 'BOB@x.test': { a: 'line\nbreak' } })
    assertFormError(bad, 400, /^recipient-variables .*for bob@x\.test: .*a line break/)
  })

  test('looks at the last recipient as at the first', async () => {
    const variables = { ...each('x'), 'a999@x.test': { a: 'line\nbreak' } }
    const reply = await sent({ subject: 'Hi %recipient.a%' }, variables, addresses)
    assertFormError(reply, 400, /for a999@x\.test: .*a line break/)
  })

  test('limits the size of a header value', async () => {
    const reply = await sent({ subject: 'Hi %recipient.a%' }, bob({ a: 'x '.repeat(10_000) }))
    assertFormError(reply, 400, /for bob@x\.test: .*16384/)
    const unused = await sent({ subject: 'Hi %recipient.b%' }, bob({ a: 'x '.repeat(10_000), b: 'B' }))
    assert.equal(unused.status, 200, unused.text)
  })

  test('knows the name a header refers to', async () => {
    const to = ['Zoë <bob@x.test>']
    const reply = await sent({ 'h:References': '<%recipient_fname%@x.test>' }, {}, to)
    assertFormError(reply, 400, /for bob@x\.test: .*ASCII/)
    assert.equal((await sent({ 'h:X-Name': '%recipient_fname%' }, {}, to)).status, 200)
  })

  const tooLarge: [what: string, ask: () => ReturnType<typeof sent>][] = [
    [
      'a large value in 100,000 places',
      () => sent({ text: '%recipient.a%'.repeat(100_000) }, bob({ a: 'x'.repeat(20_000_000) })),
    ],
    [
      'three placeholders for 16 MB',
      () => sent({ text: '%recipient.a%'.repeat(3) }, bob({ a: 'x'.repeat(16_000_000) })),
    ],
    [
      'text and html that are too large together only',
      () => sent({ text: '%recipient.a%', html: '%recipient.a%' }, bob({ a: 'x'.repeat(22_000_000) })),
    ],
    [
      'one recipient of many',
      () =>
        sent(
          { text: '%recipient.a%'.repeat(50) },
          { ...each('x'), 'a7@x.test': { a: 'x'.repeat(1_000_000) } },
          addresses,
        ),
    ],
    [
      'a ready message with a large value in 100,000 places',
      () => mime(ready('%recipient.a%\r\n'.repeat(100_000)), bob({ a: 'x'.repeat(20_000_000) })),
    ],
    [
      'a ready message with placeholders in base64',
      () =>
        mime(
          ready(
            Buffer.from('%recipient.a%\n'.repeat(3)).toString('base64'),
            'text/plain\r\nContent-Transfer-Encoding: base64',
          ),
          bob({ a: 'x'.repeat(16_000_000) }),
        ),
    ],
  ]
  for (const [what, ask] of tooLarge) {
    test(`refuses copies that would be too large: ${what}`, async () => {
      const before = await emailCount(service, companyId)
      const reply = await ask()
      assert.equal(reply.status, 413, reply.text)
      assertFormError(reply, 413, /exceeds the limit of 40 MB/)
      assert.equal(await emailCount(service, companyId), before)
    })
  }

  test('takes copies that just fit, however they are encoded', async () => {
    const line = `${'x'.repeat(70)}\n`.repeat(500_000)
    const parts = await sent({ text: '%recipient.a%' }, bob({ a: line }))
    assert.equal(parts.status, 200, parts.text)
    const raw = await mime(ready('%recipient.a%'), bob({ a: line }))
    assert.equal(raw.status, 200, raw.text)
  })

  test('a value that only an encoded word refers to is looked at', async () => {
    const message = ready('hello').replace('Subject: s', 'X-A: =?utf-8?Q?=25recipient=2Ea=25?=')
    assertFormError(await mime(message, bob({ a: 'line\nbreak' })), 400, /for bob@x\.test/)
    assert.equal((await mime(message, bob({ a: 'B' }))).status, 200)
  })

  test('h:Sender twice is refused by its name', async () => {
    const reply = await api.form('acme.example', [
      ['from', 'ann@acme.example'],
      ['to', 'bob@x.test'],
      ['text', 'hello'],
      ['h:Sender', 'a@acme.example'],
      ['h:sender', 'b@acme.example'],
    ])
    assertFormError(reply, 400, /^h:sender parameter is not valid: .*more than once/)
  })

  test('values that many in cc would be stored with are bounded together', async () => {
    const before = await emailCount(service, companyId)
    const cc = Array.from({ length: 100 }, (_, n) => ({ name: 'cc', value: `cc${n}@x.test` }))
    const variables = { 'bob@x.test': { a: 'x'.repeat(1_000_000) } }
    const answer = await api.multipart('acme.example', [
      { name: 'from', value: 'ann@acme.example' },
      { name: 'to', value: 'bob@x.test' },
      ...cc,
      { name: 'text', value: 'hello' },
      { name: 'recipient-variables', value: JSON.stringify(variables) },
    ])
    assert.equal(answer.status, 413)
    assert.equal(await emailCount(service, companyId), before)
  })
})
