/** `POST /v3/{domain}/messages.mime`: a ready message and its envelope. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, basic, call, emailCount, newestEmail, type Part } from './requests.ts'

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

  test('what is kept is the message itself, and its header can be read back', async () => {
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

  test('the options beside it count', async () => {
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

  describe('refuses', () => {
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

    test('and leaves nothing behind', async () => {
      const before = await emailCount(service, companyId)
      await send(to, { ...message, value: MIME.replace('ann@acme.example', 'ann@other.example') })
      assert.equal(await emailCount(service, companyId), before)
    })
  })
})
