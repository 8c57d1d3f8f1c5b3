/** Behaviour that clients of the form dialect rely on, from the request to the mail and its events. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Sink, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Part } from '../requests.ts'

interface Shown {
  event: string
  recipient: string
  tags: string[]
  flags: { 'is-test-mode': boolean }
  message: { headers: { 'message-id': string } }
  'user-variables': Record<string, string>
}

describe('a request, its mail and its events', () => {
  let sink: Sink
  let service: Service
  let api: Api

  before(async () => {
    sink = await startSink()
    service = await startService({
      delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
      maxMessageSize: 1024 * 1024,
    })
    const { key } = await service.tenant('ours.test')
    api = new Api(service.url, key.token)
  })
  after(async () => {
    await service.close()
    await sink.close()
  })

  const usual: [string, string][] = [
    ['from', 'a@ours.test'],
    ['subject', 's'],
    ['text', 't'],
  ]
  const sent = async (...fields: [string, string][]) => {
    const reply = await api.form('ours.test', [...usual, ...fields])
    assert.equal(reply.status, 200, reply.text)
    return String(reply.body.id)
  }
  const received = async (address: string) => PostalMime.parse((await sink.messageFor(address)).raw)
  /** The event of the mail once it is delivered. */
  const delivered = async (recipient: string): Promise<Shown> => {
    const query = new URLSearchParams({ ascending: 'yes', event: 'delivered', recipient })
    return await until(async () => {
      const url = `${service.url}/v3/ours.test/events?${query}`
      const { body } = await call(url, { headers: { authorization: basic(api.token) } })
      return (body.items as Shown[])[0]
    }, `an event of ${recipient}`)
  }
  const toOf = (mail: Awaited<ReturnType<typeof received>>) => mail.to?.map(({ address }) => address)

  test('`to` twice is one mail that names both; its tags are on its events', async () => {
    const fields: [string, string][] = [
      ['to', 'two1@x.test'],
      ['to', 'two2@x.test'],
      ['o:tag', 'one'],
      ['o:tag', 'other'],
    ]
    const parts = [...usual, ...fields].map(([name, value]) => ({ name, value }))
    assert.equal((await api.multipart('ours.test', parts)).status, 200)
    const { recipients, raw } = await sink.messageFor('two1@x.test')
    assert.deepEqual(recipients, ['two1@x.test', 'two2@x.test'])
    assert.deepEqual(toOf(await PostalMime.parse(raw)), ['two1@x.test', 'two2@x.test'])
    const { tags } = await delivered('two2@x.test')
    assert.deepEqual(tags, ['one', 'other'])
  })

  test('names in brackets, and a structural field: one Content-Type, which Postroad generates', async () => {
    const reply = await api.form('ours.test', [
      ['from[]', 'a@ours.test'],
      ['to[]', 'brackets@x.test'],
      ['subject[]', 'S'],
      ['html[]', '<p>T</p>'],
      ['text[]', 'T'],
      ['h:content-type', 'multipart/alternative'],
    ])
    assert.equal(reply.status, 200, reply.text)
    const { headers, html, text } = await received('brackets@x.test')
    const types = headers.filter(({ key }) => key === 'content-type').map(({ value }) => value)
    assert.equal(types.length, 1)
    assert.match(types[0]!, /^multipart\/alternative; *boundary=/)
    assert.deepEqual([html?.trim(), text?.trim()], ['<p>T</p>', 'T'])
  })

  test('files with a number behind their name and no type, in a form without a last line end', async () => {
    const files = ['one.txt', 'two.bin'].map(
      (filename, index): Part => ({ name: `attachment[${index}]`, value: filename, filename }),
    )
    const parts = [...usual, ['to', 'files@x.test'] as const].map(([name, value]) => ({ name, value }))
    assert.equal((await api.multipart('ours.test', [...parts, ...files])).status, 200)
    const { attachments } = await received('files@x.test')
    assert.deepEqual(
      attachments.map(({ filename, content }) => [
        filename,
        Buffer.from(content as ArrayBuffer)
          .toString()
          .trim(),
      ]),
      [
        ['one.txt', 'one.txt'],
        ['two.bin', 'two.bin'],
      ],
    )
  })

  test('a comma within a name does not end an address', async () => {
    await sent(['to', '"Doe, Jane" <doe@x.test>, Bob <bob@y.test>'])
    const { recipients, raw } = await sink.messageFor('doe@x.test')
    assert.deepEqual(recipients, ['doe@x.test', 'bob@y.test'])
    const { to } = await PostalMime.parse(raw)
    assert.deepEqual(
      to?.map(({ name, address }) => [name, address]),
      [
        ['Doe, Jane', 'doe@x.test'],
        ['Bob', 'bob@y.test'],
      ],
    )
  })

  test('an answer is the id and the sentence in compact JSON, and nothing else', async () => {
    const reply = await api.form('ours.test', [...usual, ['to', 'answer@x.test']])
    assert.match(reply.text, /^\{"id":"<[^<>@\s]+@ours\.test>","message":"Queued\. Thank you\."\}$/)
    assert.match(reply.headers.get('content-type')!, /^application\/json/)
  })

  test('a batch: one id, a mail for each recipient, values in subject, header fields and user variables', async () => {
    const variables = { 'bat1@x.test': { n: 'B' }, 'bat2@x.test': { n: 'C' } }
    const { body } = await api.form('ours.test', [
      ['from', 'a@ours.test'],
      ['text', 't'],
      ['subject', 'Hi %recipient.n%'],
      ...Object.keys(variables).map((address): [string, string] => ['to', address]),
      ['recipient-variables', JSON.stringify(variables)],
      ['h:X-N', 'n is %recipient.n%'],
      ['h:Reply-To', 'answers+%recipient.n%@ours.test'],
      ['v:rid', '%recipient.n%'],
    ])
    for (const [address, { n }] of Object.entries(variables)) {
      const mail = await received(address)
      assert.deepEqual(toOf(mail), [address])
      assert.equal(mail.subject, `Hi ${n}`)
      assert.equal(mail.headers.find(({ key }) => key === 'x-n')?.value, `n is ${n}`)
      assert.deepEqual(
        mail.replyTo?.map((mailbox) => mailbox.address),
        [`answers+${n}@ours.test`],
      )
      const told = await delivered(address)
      assert.deepEqual(told['user-variables'], { rid: n })
      assert.equal(`<${told.message.headers['message-id']}>`, body.id)
    }
  })

  test('Reply-To may be a recipient’s value that is an address', async () => {
    const batch = (variables: object) =>
      api.form('ours.test', [
        ...usual,
        ...Object.keys(variables).map((address): [string, string] => ['to', address]),
        ['recipient-variables', JSON.stringify(variables)],
        ['h:Reply-To', '%recipient.agent%'],
      ])
    const agents = { 'own1@x.test': { agent: 'ann@ours.test' }, 'own2@x.test': { agent: 'bob@ours.test' } }
    assert.equal((await batch(agents)).status, 200)
    for (const [address, { agent }] of Object.entries(agents)) {
      const { replyTo } = await received(address)
      assert.deepEqual(
        replyTo?.map((mailbox) => mailbox.address),
        [agent],
      )
    }
    for (const agent of [
      'nobody',
      'a@ours.test, b@ours.test',
      'a@ours.test\r\nBcc: c@x.test',
      '',
      undefined,
    ]) {
      const refused = await batch({ 'own1@x.test': { agent: 'ann@ours.test' }, 'own3@x.test': { agent } })
      assertFormError(refused, 400, /recipient-variables.*own3@x\.test: /)
    }
    const alone = await api.form('ours.test', [
      ...usual,
      ['to', 'own4@x.test'],
      ['h:Reply-To', '%recipient.agent%'],
    ])
    assertFormError(alone, 400, /reply/i)
  })

  test('Reply-To has no more placeholders than addresses', async () => {
    const many = (count: number) =>
      api.form('ours.test', [
        ...usual,
        ['to', 'many@x.test'],
        ['recipient-variables', '{"many@x.test":{"agent":"ann@ours.test"}}'],
        ...Array.from({ length: count }, (): [string, string] => ['h:Reply-To', '%recipient.agent%']),
      ])
    assert.equal((await many(100)).status, 200)
    assertFormError(await many(101), 400, /h:Reply-To.*more than 100 addresses/)
  })

  test('a value that makes Reply-To invalid is refused', async () => {
    const reply = await api.form('ours.test', [
      ...usual,
      ['to', 'bad@x.test'],
      ['recipient-variables', '{"bad@x.test":{"n":"b>, <c@elsewhere.test"}}'],
      ['h:Reply-To', 'answers+%recipient.n%@ours.test'],
    ])
    assertFormError(reply, 400, /recipient-variables.*bad@x\.test: Reply-To/)
  })

  test('empty recipient variables make a batch as well', async () => {
    await sent(['to', 'none1@x.test'], ['to', 'none2@x.test'], ['recipient-variables', '{}'])
    for (const address of ['none1@x.test', 'none2@x.test']) {
      assert.deepEqual(toOf(await received(address)), [address])
    }
  })

  test('a Message-ID of the sender is in the answer, the mail and the events', async () => {
    const chosen = '<chosen.1@ours.test>'
    assert.equal(await sent(['to', 'own@x.test'], ['h:Message-Id', chosen]), chosen)
    assert.equal((await received('own@x.test')).messageId, chosen)
    const told = await delivered('own@x.test')
    assert.equal(told.message.headers['message-id'], 'chosen.1@ours.test')
  })

  for (const value of ['yes', 'true']) {
    test(`a thousand recipients with o:testmode=${value} are accepted, and none of them gets mail`, async () => {
      const to = Array.from({ length: 1000 }, (_, index): [string, string] => [
        'to',
        `r${value}${index}@x.test`,
      ])
      await sent(...to, ['o:testmode', value])
      assert.equal((await delivered(`r${value}999@x.test`)).flags['is-test-mode'], true)
      // What is sent after it has arrived.
      await sent(['to', `after-${value}@x.test`])
      await sink.messageFor(`after-${value}@x.test`)
      assert.ok(
        !sink.messages.some(({ recipients }) => recipients.some((each) => each.startsWith(`r${value}`))),
      )
    })
  }

  test('an inline file is in multipart/related with its HTML', async () => {
    const parts: Part[] = [
      ...usual.map(([name, value]) => ({ name, value })),
      { name: 'to', value: 'inline@x.test' },
      { name: 'html', value: '<img src="cid:logo.png">' },
      { name: 'inline', value: 'png', filename: 'logo.png' },
    ]
    assert.equal((await api.multipart('ours.test', parts)).status, 200)
    const { raw } = await sink.messageFor('inline@x.test')
    assert.match(raw.toString('latin1'), /^Content-Type: multipart\/related/m)
    const [logo] = (await PostalMime.parse(raw)).attachments
    assert.deepEqual([logo!.contentId, logo!.disposition], ['<logo.png>', 'inline'])
  })

  test('a body over the limit: 413 as JSON', async () => {
    const reply = await api.form('ours.test', [...usual, ['to', 'x@x.test'], ['html', 'x'.repeat(9_000_000)]])
    assertFormError(reply, 413)
  })
})
