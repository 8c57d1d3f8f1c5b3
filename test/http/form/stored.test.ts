/** Accepted messages are read back and sent again, as the clients of the form dialect do it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accept, email } from '../../store/samples.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'
import { newestClient } from './clients.ts'

interface Item {
  event: string
  recipient: string
  storage: { url: string; key: string }
  message: { headers: Record<string, string> }
}

describe('stored messages of the form dialect', () => {
  let service: Service
  let key: string
  let api: Api

  before(async () => {
    service = await startService()
    key = (await service.tenant('stored.test')).key.token
    api = new Api(service.url, key)
  })
  after(() => service.close())

  /** Methods of the client that its types do not declare. */
  interface More {
    retrieveStoredEmail(domain: string, key: string): Promise<Record<string, unknown>>
    resendEmail(domain: string, key: string, to: string[]): Promise<Record<string, unknown>>
  }
  const client = () => newestClient(service.url, key).messages as object as More

  const get = (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
    call(url, { headers: { authorization: basic(key), ...headers } })
  const eventsOf = async (recipient: string, event: string): Promise<Item[]> => {
    const query = new URLSearchParams({ recipient, event })
    const { body } = await get(`${service.url}/v3/stored.test/events?${query}`)
    return body.items as Item[]
  }
  const happened = async (recipient: string, event = 'delivered'): Promise<Item> => {
    return await until(async () => (await eventsOf(recipient, event))[0], `${event} of ${recipient}`)
  }

  test('the URL of an event leads to its message, parsed or as MIME', async () => {
    const sent = await api.multipart('stored.test', [
      { name: 'from', value: 'Sue <sue@stored.test>' },
      { name: 'to', value: 'ann@x.test' },
      { name: 'cc', value: 'ben@x.test' },
      { name: 'subject', value: 'Grüße' },
      { name: 'text', value: 'plain' },
      { name: 'html', value: '<p>rich</p>' },
      { name: 'h:X-Order', value: '4711' },
      { name: 'attachment', filename: 'a.txt', value: 'octets', type: 'text/plain' },
    ])
    assert.equal(sent.status, 200, sent.text)
    const { storage } = await happened('ann@x.test')
    const parsed = (await get(storage.url)).body
    assert.deepEqual(
      [parsed.recipients, parsed.sender, parsed.from, parsed.subject],
      ['ann@x.test, ben@x.test', 'sue@stored.test', 'Sue <sue@stored.test>', 'Grüße'],
    )
    assert.deepEqual([parsed['body-plain'], parsed['body-html']], ['plain', '<p>rich</p>'])
    assert.deepEqual(parsed['X-Order'], '4711')
    const headers = new Map(parsed['message-headers'] as [string, string][])
    assert.equal(headers.get('Message-Id'), sent.body.id)
    const [file] = parsed.attachments as { url: string; name: string; size: number }[]
    assert.deepEqual([file!.name, file!.size], ['a.txt', 6])
    assert.equal((await call(file!.url)).text, 'octets')

    const mime = (await get(storage.url, { accept: 'message/rfc2822' })).body
    assert.match(String(mime['body-mime']), /^DKIM-Signature: .*\r\nX-Order: 4711\r\n/s)
    const retrieved = await client().retrieveStoredEmail('stored.test', storage.key)
    assert.equal(retrieved.subject, 'Grüße')
  })

  test('it is sent again to others, with its tags and its Message-ID', async () => {
    const sent = await api.form('stored.test', [
      ['from', 'sue@stored.test'],
      ['to', 'first@x.test'],
      ['subject', 'Again'],
      ['text', 'x'],
      ['o:tag', 'kept'],
      ['v:order', '"1"'],
    ])
    const { storage } = await happened('first@x.test')
    const answer = await client().resendEmail('stored.test', storage.key, ['second@x.test'])
    assert.deepEqual([answer.status, answer.message], [200, 'Queued. Thank you.'])
    assert.equal(answer.id, sent.body.id)
    const again = (await happened('second@x.test')) as Item & Record<string, unknown>
    assert.deepEqual([again.tags, again['user-variables']], [['kept'], { order: '"1"' }])
    assert.notEqual(again.storage.key, storage.key)
    assert.equal((await get(again.storage.url)).body.subject, 'Again')
  })

  test('variables keep their names and values, however they are written and however many they are', async () => {
    const many = Array.from({ length: 2_100 }, (_, n) => String(n))
    const strange = { 'the "name"\\': 'a "value"', 'two\r\nlines': 'a\r\nb' }
    const variables = { ...Object.fromEntries(many.map((name) => [name, ''])), ...strange }
    const sent = await api.form('stored.test', [
      ['from', 'sue@stored.test'],
      ['to', 'many@x.test'],
      ['text', 'x'],
      ...many.map((name): [string, string] => [`v:${name}`, '']),
      ['h:X-Mailgun-Variables', JSON.stringify(strange)],
    ])
    assert.equal(sent.status, 200, sent.text)
    const first = (await happened('many@x.test')) as Item & Record<string, unknown>
    assert.deepEqual(first['user-variables'], variables)
    await client().resendEmail('stored.test', first.storage.key, ['many-again@x.test'])
    const again = (await happened('many-again@x.test')) as Item & Record<string, unknown>
    assert.deepEqual(again['user-variables'], variables)
  })

  test('a batch shows its first copy as it was sent', async () => {
    const sent = await api.form('stored.test', [
      ['from', 'sue@stored.test'],
      ['to', 'b1@x.test'],
      ['to', 'b2@x.test'],
      ['subject', 'Hi %recipient.name%'],
      ['text', 'x'],
      ['recipient-variables', '{"b1@x.test":{"name":"Bea"},"b2@x.test":{"name":"Bob"}}'],
    ])
    assert.equal(sent.status, 200, sent.text)
    const { storage } = await happened('b1@x.test')
    const mime = (await get(storage.url, { accept: 'message/rfc2822' })).body
    assert.match(String(mime['body-mime']), /^Subject: Hi Bea\r$/m)
  })

  test('a message of another company, and an unknown one, are not found', async () => {
    const { storage } = await happened('ann@x.test')
    const stranger = (await service.tenant('strange.test')).key.token
    const asked = (url: string) => call(url, { headers: { authorization: basic(stranger) } })
    assertFormError(await asked(storage.url), 404, 'Domain not found: stored.test')
    const foreign = `${service.url}/v3/domains/strange.test/messages/${storage.key}`
    assertFormError(await asked(foreign), 404, 'Message not found')
    assertFormError(await get(`${service.url}/v3/stored.test/messages/none`), 404, 'Message not found')
    const again = { method: 'POST', headers: { authorization: basic(key) } }
    assertFormError(await call(storage.url, again), 400, 'to parameter is missing')
  })

  test('waiting mail of a domain is canceled, and that of others stays', async () => {
    const { company } = await service.tenant('queue.test')
    await service.domain(company.id, 'stays.test')
    const { token } = await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    for (const domain of ['queue.test', 'queue.test', 'stays.test']) {
      const sent = await new Api(service.url, token).form(domain, [
        ['from', `me@${domain}`],
        ['to', 'a@x.test, b@x.test'],
        ['text', 'x'],
        ['o:deliverytime', later],
      ])
      assert.equal(sent.status, 200, sent.text)
    }
    const clear = (key: string) =>
      call(`${service.url}/v3/queue.test/envelopes`, {
        method: 'DELETE',
        headers: { authorization: basic(key) },
      })
    assertFormError(await clear((await service.key(company.id)).token), 403, /management scope/)
    assert.deepEqual((await clear(token)).body, { message: 'done', canceled: 4 })
    assert.deepEqual((await clear(token)).body, { message: 'done', canceled: 0 })
    const left = await service.store.listEmails({ companyId: company.id, limit: 10 })
    assert.deepEqual(
      left.map(({ from, lastEvent }) => [from, lastEvent]),
      [
        ['me@stays.test', 'scheduled'],
        ['me@queue.test', 'canceled'],
        ['me@queue.test', 'canceled'],
      ],
    )
  })

  test('all waiting mail of a domain is canceled, however much it is', async () => {
    const { company, domain } = await service.tenant('much.test')
    const { token } = await service.key(company.id, { scopes: ['management'] })
    const dueAt = Date.now() + 3_600_000
    const waiting = Array.from({ length: 430 }, () =>
      email(company, ['a@x.test'], { domainId: domain.id, createdAt: Date.now(), dueAt, scheduledAt: dueAt }),
    )
    await Promise.all(waiting.map((one) => accept(service.store, one)))
    const { body } = await call(`${service.url}/v3/much.test/envelopes`, {
      method: 'DELETE',
      headers: { authorization: basic(token) },
    })
    assert.deepEqual(body, { message: 'done', canceled: 430 })
    assert.deepEqual(await service.store.waitingEmails(company.id, domain.id, 10), [])
  })
})
