/** Copies of a batch in the form dialect: filled values, dropped placeholders, and AMP parts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { parseDelivery } from '../../../src/config/parse/delivery.ts'
import { decodeQuotedPrintable } from '../../../src/mail/raw/decode.ts'
import { type Service, startService } from '../../support/service.ts'
import { type Sink, startSink } from '../../support/sink.ts'
import { Api, newestEmail } from '../requests.ts'

describe('copies of the form dialect', () => {
  let sink: Sink
  let service: Service
  let companyId: string
  let api: Api

  before(async () => {
    sink = await startSink()
    service = await startService({ delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`) })
    const { company, key } = await service.tenant('ours.test')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(async () => {
    await service.close()
    await sink.close()
  })

  let serial = 0
  /** Two new addresses, each with its values. */
  function people(...values: Record<string, unknown>[]) {
    const addresses = values.map((_, index) => `person${index}-${serial}@x.test`)
    serial += 1
    const variables = Object.fromEntries(addresses.map((address, index) => [address, values[index]]))
    const fields = [
      ...addresses.map((address): [string, string] => ['to', address]),
      ['recipient-variables', JSON.stringify(variables)] as [string, string],
    ]
    return { addresses, fields }
  }
  const send = async (...fields: [string, string][]) => {
    const named = new Set(fields.map(([name]) => name))
    const usual = { from: 'a@ours.test', subject: 's', text: 't' }
    const missing = Object.entries(usual).filter(([name]) => !named.has(name))
    const reply = await api.form('ours.test', [...missing, ...fields])
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const received = async (address: string) => {
    const { raw } = await sink.messageFor(address)
    return { raw: raw.toString('latin1'), mail: await PostalMime.parse(raw) }
  }
  const header = (mail: Awaited<ReturnType<typeof received>>['mail'], name: string) =>
    mail.headers.filter(({ key }) => key === name).map(({ value }) => value)

  test('each has its own Message-ID, and the answer echoes the template', async () => {
    const { addresses, fields } = people({ message_id: 'one.1@ours.test' }, { message_id: 'two.2@ours.test' })
    const template = '<%recipient.message_id%>'
    const reply = await send(...fields, ['h:Message-Id', template])
    assert.equal(reply.body.id, template)
    const ids = await Promise.all(addresses.map(async (address) => (await received(address)).mail.messageId))
    assert.deepEqual(ids, ['<one.1@ours.test>', '<two.2@ours.test>'])
    const shown = await api.get(`/emails/${await newestEmail(service, companyId)}`)
    assert.equal(shown.body.message_id, template)
  })

  test('each copy of a ready message has its own Message-ID as well', async () => {
    const { addresses, fields } = people({ id: 'a1' }, { id: 'b2' })
    const message =
      'From: a@ours.test\r\nTo: %recipient%\r\nSubject: s\r\nMessage-ID: <%recipient.id%@ours.test>\r\n\r\nhello\r\n'
    const parts = [
      ...fields.map(([name, value]) => ({ name, value })),
      { name: 'message', value: message, filename: 'message.mime' },
    ]
    const reply = await api.multipart('ours.test', parts, 'messages.mime')
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.id, '<%recipient.id%@ours.test>')
    const ids = await Promise.all(
      addresses.map(async (address) => header((await received(address)).mail, 'message-id')),
    )
    assert.deepEqual(ids, [['<a1@ours.test>'], ['<b2@ours.test>']])
  })

  const unusable: [what: string, values: Record<string, string>[]][] = [
    ['is none for one of them', [{ id: 'a@ours.test' }, { id: 'no id' }]],
    ['is missing for one of them', [{ id: 'a@ours.test' }, {}]],
    ['is too long', [{ id: `${'x'.repeat(1_000)}@ours.test` }, { id: 'b@ours.test' }]],
    ['would be another field', [{ id: 'a@ours.test>\r\nBcc: <v@x.test' }, { id: 'b@ours.test' }]],
  ]
  for (const [what, values] of unusable) {
    test(`a generated one replaces a template that ${what}`, async () => {
      const { addresses, fields } = people(...values)
      const { body } = await send(...fields, ['h:Message-Id', '<%recipient.id%>'])
      assert.match(String(body.id), /^<[\w-]+@ours\.test>$/)
      for (const address of addresses) {
        assert.deepEqual(header((await received(address)).mail, 'message-id'), [body.id])
      }
    })
  }

  test('placeholders of a subscription service are dropped, alone or in a batch', async () => {
    const placeholders = [
      '%unsubscribe_url%',
      '%tag_unsubscribe_url%',
      '%mailing_list_unsubscribe_url%',
      '%unsubscribe_email%',
      '%tag_unsubscribe_email%',
    ]
    const { addresses, fields } = people({ url: 'https://x.test/u' })
    const message: [string, string][] = [
      ['subject', `Stop: ${placeholders.join(' ')}`],
      ['text', `Stop: ${placeholders.join(' ')}\n50% off`],
      ['html', `<a href="%unsubscribe_url%">${placeholders.join(' ')}</a>`],
      ['h:List-Unsubscribe', '<https://x.test/u>, <mailto:%tag_unsubscribe_email%>'],
      ['h:X-Nothing', '<%unsubscribe_url%>'],
    ]
    await send(...fields, ...message)
    await send(['to', 'alone@x.test'], ...message)
    for (const address of [...addresses, 'alone@x.test']) {
      const { raw, mail } = await received(address)
      assert.doesNotMatch(raw, /unsubscribe_/)
      assert.match(mail.text ?? '', /^Stop: +\n50% off/)
      assert.match(mail.html ?? '', /^<a href=""> +<\/a>/)
      assert.deepEqual(header(mail, 'list-unsubscribe'), ['<https://x.test/u>'])
      assert.deepEqual(header(mail, 'x-nothing'), [])
    }
  })

  test('amp-html travels as a part between text and html, with its values filled in', async () => {
    const { addresses, fields } = people({ name: 'Änn' })
    const amp = '<!doctype html><html ⚡4email><body>Hello %recipient.name%</body></html>'
    await send(...fields, ['html', '<p>hello</p>'], ['amp-html', amp])
    const { raw } = await received(addresses[0]!)
    const types = [...raw.matchAll(/^Content-Type: ([\w/-]+)/gm)].map(([, type]) => type)
    assert.deepEqual(types, ['multipart/alternative', 'text/plain', 'text/x-amp-html', 'text/html'])
    const part = raw.split(/^Content-Type: text\/x-amp-html[\s\S]*?\r\n\r\n/m)[1]!.split('\r\n--')[0]!
    const decoded = /^[A-Za-z0-9+/=\r\n]+$/.test(part)
      ? Buffer.from(part, 'base64').toString()
      : decodeQuotedPrintable(Buffer.from(part)).toString()
    assert.equal(decoded.trim(), amp.replace('%recipient.name%', 'Änn'))
  })

  test('amp-html alone is no message, because most mail programs would show nothing', async () => {
    const reply = await api.form('ours.test', [
      ['from', 'a@ours.test'],
      ['to', 'b@x.test'],
      ['amp-html', '<html amp4email></html>'],
    ])
    assert.equal(reply.status, 400)
    assert.match(String(reply.body.message), /Need at least one of 'text' or 'html'/)
  })
})
