/** `POST /v3/{domain}/messages.mime`: a ready message and its envelope. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { loadSettings } from '../../../src/config/load.ts'
import type { StoredEmail } from '../../../src/store/store.ts'
import { type Service, startService } from '../../support/service.ts'
import { startSink } from '../../support/sink.ts'
import { Api, assertFormError, basic, call, emailCount, inTime, newestEmail, type Part } from '../requests.ts'

const MIME = [
  'From: Ann <ann@acme.example>',
  'To: Bob <b@x.test>',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <ready.made@acme.example>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'hello',
  '',
].join('\r\n')

/** The email once nothing more will happen to its recipients. */
async function finished(service: Service, id: string): Promise<StoredEmail> {
  for (;;) {
    const history = await service.store.readHistory(id)
    if (history?.recipients.every(({ state }) => state !== 'waiting' && state !== 'sending'))
      return history.email
    await pause(20)
  }
}

describe('POST /v3/{domain}/messages.mime', () => {
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

  const send = (...parts: Part[]) => api.multipart('acme.example', parts, 'messages.mime')
  const to = { name: 'to', value: 'b@x.test' }
  const message = { name: 'message', value: MIME, filename: 'message.mime', type: 'text/plain' }

  test('`to` and a file `message`: 200 with exactly id and message', async () => {
    const reply = await send(to, message)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(Object.keys(reply.body).sort(), ['id', 'message'])
    assert.equal(reply.body.message, 'Queued. Thank you.')
    assert.equal(reply.body.id, '<ready.made@acme.example>')
  })

  test('the message itself is kept, and its header can be read back', async () => {
    assert.equal((await send(to, message)).status, 200)
    const id = await newestEmail(service, companyId)
    const work = await service.store.readWork(id)
    assert.match(Buffer.from(work?.raw ?? []).toString(), /\r\n\r\nhello\r\n$/)
    const { body } = await api.get(`/emails/${id}`)
    assert.equal(body.subject, 'Grüße')
    assert.equal(body.from, 'Ann <ann@acme.example>')
    assert.equal(body.message_id, '<ready.made@acme.example>')
  })

  test('octets that are not UTF-8 arrive as they are in a file part', async () => {
    const latin1 = Buffer.from(
      MIME.replace('hello', 'h\u00e9llo').replace('utf-8\r\n', 'iso-8859-1\r\n'),
      'latin1',
    )
    assert.equal((await send(to, { ...message, value: latin1 })).status, 200)
    const work = await service.store.readWork(await newestEmail(service, companyId))
    assert.ok(Buffer.from(work?.raw ?? []).includes(Buffer.from('h\u00e9llo', 'latin1')))
  })

  test('`to` is the envelope: repeated, as a list, in brackets', async () => {
    assert.equal(
      (await send({ name: 'to', value: 'a@x.test, c@y.test' }, { name: 'to[]', value: 'd@z.test' }, message))
        .status,
      200,
    )
    const work = await service.store.readWork(await newestEmail(service, companyId))
    assert.deepEqual(
      work?.recipients.map(({ address }) => address),
      ['a@x.test', 'c@y.test', 'd@z.test'],
    )
  })

  test('`message` as a plain field is accepted as well, octet by octet', async () => {
    const value = Buffer.from(MIME.replace('hello', 'h\u00e9llo'), 'latin1')
    assert.equal((await send(to, { name: 'message', value })).status, 200)
    const work = await service.store.readWork(await newestEmail(service, companyId))
    assert.ok(Buffer.from(work?.raw ?? []).includes(Buffer.from('h\u00e9llo', 'latin1')))
  })

  test('the options of the form count', async () => {
    const reply = await send(
      to,
      message,
      { name: 'o:tag', value: 'news' },
      { name: 'o:testmode', value: 'yes' },
      { name: 'v:id', value: '7' },
    )
    assert.equal(reply.status, 200, reply.text)
    const email = await service.store.readEmail(await newestEmail(service, companyId))
    assert.deepEqual(email?.tags, [{ name: 'tag', value: 'news' }])
    assert.equal(email?.testMode, true)
    assert.deepEqual({ ...email?.variables }, { id: '7' })
  })

  const controlled = (...fields: string[]) => ({ ...message, value: `${fields.join('\r\n')}\r\n${MIME}` })

  test('X-Mailgun-Drop-Message: the message is accepted and ends in the simulator; no recipient gets it', async () => {
    await using sink = await startSink()
    const { delivery } = loadSettings(
      { POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off` },
      { envFile: null },
    )
    await using relayed = await startService({ delivery })
    const { company, key } = await relayed.tenant('acme.example')
    const own = new Api(relayed.url, key.token)
    const rehearsal = controlled('X-Mailgun-Drop-Message: yes', 'X-Mailgun-Variables: {"order": 7}')
    assert.equal((await own.multipart('acme.example', [to, rehearsal], 'messages.mime')).status, 200)
    const id = await newestEmail(relayed, company.id)
    // One that does leave, accepted later, shows that the way was open.
    assert.equal((await own.multipart('acme.example', [to, message], 'messages.mime')).status, 200)
    await sink.next()
    const email = await inTime(finished(relayed, id), 'the end of the rehearsal')
    assert.equal(email.testMode, true)
    assert.deepEqual({ ...email.variables }, { order: '7' })
    assert.equal(sink.messages.length, 1)
  })

  test('control fields of the message mean the same as those of the form, which take precedence', async () => {
    const at = Math.floor(Date.now() / 1000) + 7_200
    const reply = await send(
      to,
      controlled(
        'X-Mailgun-Tag: =?utf-8?q?caf=C3=A9?=',
        'X-Mailgun-Variables: {"a": 1,',
        ' "b": null, "__proto__": "x"}',
        'X-Mailgun-Recipient-Variables: {"b@x.test": {"n": 1, "m": null}}',
        `X-Mailgun-Deliver-By: ${at}`,
        'X-Mailgun-Drop-Message: yes',
        'X-Mailgun-Unheard-Of: x',
      ),
      { name: 'o:tag', value: 'beside' },
      { name: 'v:a', value: 'beside' },
      { name: 'h:X-Mailgun-Drop-Message', value: 'no' },
    )
    assert.equal(reply.status, 200, reply.text)
    const id = await newestEmail(service, companyId)
    const email = await service.store.readEmail(id)
    assert.deepEqual(
      email?.tags.map(({ value }) => value),
      ['beside', 'café'],
    )
    assert.deepEqual(Object.entries(email?.variables ?? {}).sort(), [
      ['__proto__', 'x'],
      ['a', 'beside'],
      ['b', ''],
    ])
    assert.deepEqual([email?.testMode, email?.scheduledAt], [false, at * 1000])
    const work = await service.store.readWork(id)
    assert.deepEqual(
      work?.recipients.map(({ variables }) => variables),
      [{ n: '1', m: '' }],
    )
    assert.doesNotMatch(Buffer.from(work?.raw ?? []).toString(), /x-mailgun/i)
  })

  test('form fields that repeat parts of the message are ignored', async () => {
    const names = ['from', 'subject', 'text', 'html', 'h:Content-Type', 'h:mime-version', 'h:Subject']
    const reply = await send(to, message, ...names.map((name) => ({ name, value: 'x' })))
    assert.equal(reply.status, 200, reply.text)
  })

  describe('refuses', () => {
    const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    const folded = deep.replace(/.{500}/g, '$& \r\n ')
    for (const [field, expected] of [
      ['X-Mailgun-Dkim: no', /^X-Mailgun-Dkim parameter is not supported/],
      ['x-mailgun-sending-ip: 192.0.2.1', /^x-mailgun-sending-ip parameter is not valid: .*192\.0\.2\.1/],
      ['X-Mailgun-Template-Name: t', /^X-Mailgun-Template-Name parameter is not supported/],
      ['X-Mailgun-Delivery-Time-Optimize-Period: 24h', /is not supported/],
      ['X-Mailgun-Drop-Message: maybe', /^X-Mailgun-Drop-Message parameter is not valid: "maybe"/],
      ['X-Mailgun-Deliver-By: soon', 'soon is not an RFC-2822 compliant date'],
      ['X-Mailgun-Deliver-By: 99999999999', /farther than 30 days/],
      ['X-Mailgun-Variables: {bad', "'X-Mailgun-Variables' parameter is not a valid JSON"],
      [`X-Mailgun-Variables: {"a":"${'x'.repeat(17_000)}"}`, /limited to 16 kB/],
      [`X-Mailgun-Recipient-Variables: {"b@x.test":${folded}}`, /^'X-Mailgun-Recipient-Variables' parameter/],
    ] as const) {
      test(`${field.slice(0, 60)} in the message`, async () => {
        assertFormError(await send(to, controlled(field)), 400, expected)
      })
    }

    const beside: [part: Part, expected: RegExp][] = [
      [{ name: 'cc', value: 'c@x.test' }, /^cc parameter is not valid: .* named in to$/],
      [{ name: 'bcc', value: 'c@x.test' }, /^bcc parameter is not valid: .* named in to$/],
      [{ name: 'h:X-A', value: 't' }, /^h:X-A parameter is not valid: .* to a MIME message/],
      [{ name: 'attachment', value: 't', filename: 'a.txt' }, /^attachment parameter is not valid/],
      [{ name: 'attachment', value: 't' }, /^attachment parameter is not valid/],
      [{ name: 'upload', value: 't', filename: 'a.txt' }, /^upload parameter is not valid/],
      [{ ...message }, /^message parameter is not valid: there is more than one/],
    ]
    for (const [part, expected] of beside) {
      test(`${part.name}${part.filename ? ' as a file' : ''} beside the message`, async () => {
        assertFormError(await send(to, message, part), 400, expected)
      })
    }

    test('a missing message', async () => {
      assertFormError(await send(to), 400, 'message parameter is missing')
    })

    test('a missing to', async () => {
      assertFormError(await send(message), 400, 'to parameter is missing')
    })

    test('a bad to', async () => {
      assertFormError(
        await send({ name: 'to', value: 'nonsense' }, message),
        400,
        'to parameter is not a valid address. please check documentation',
      )
    })

    test('a message from another domain', async () => {
      const value = MIME.replace('ann@acme.example', 'ann@other.example')
      assertFormError(await send(to, { ...message, value }), 400, /^from parameter is not valid/)
    })

    test('a message without a From', async () => {
      const value = MIME.replace(/^From:.*\r\n/, '')
      assertFormError(await send(to, { ...message, value }), 400, 'from parameter is missing')
    })

    test('a urlencoded request', async () => {
      const reply = await api.form(
        'acme.example',
        [
          ['to', 'b@x.test'],
          ['message', MIME],
        ],
        'messages.mime',
      )
      assertFormError(
        reply,
        400,
        "Invalid request content type. Expecting 'multipart/form-data' but got 'application/x-www-form-urlencoded'",
      )
    })

    test('no credentials', async () => {
      const reply = await call(`${api.url}/v3/acme.example/messages.mime`, { method: 'POST' })
      assert.equal(reply.status, 401)
      assert.equal(reply.text, 'Forbidden')
    })

    test('a template', async () => {
      assertFormError(await send(to, message, { name: 'template', value: 't' }), 400, /^template parameter/)
    })

    test('the wrong method', async () => {
      const reply = await call(`${api.url}/v3/acme.example/messages.mime`, {
        headers: { authorization: basic(api.token) },
      })
      assertFormError(reply, 405)
      assert.equal(reply.headers.get('allow'), 'POST')
    })

    test('and stores nothing', async () => {
      const before = await emailCount(service, companyId)
      await send(to, { ...message, value: MIME.replace('ann@acme.example', 'ann@other.example') })
      assert.equal(await emailCount(service, companyId), before)
    })
  })
})
