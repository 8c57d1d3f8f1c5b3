/** Long emails read back: the JSON is the same, and the memory for it is counted, however slowly the client reads. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../support/service.ts'
import { Api } from './requests.ts'

describe('a long email', () => {
  test('is read back unchanged, wherever it is cut into pieces', async () => {
    await using service = await startService()
    const { key } = await service.tenant('long.test')
    const api = new Api(service.url, key.token)
    // Surrogate pairs at odd and even places, and characters that JSON escapes to six.
    const text = `x${'😀'.repeat(40_000)}\u0001"\\\n${'\u0002'.repeat(50_000)}`
    const html = `<p>${'é'.repeat(90_000)}`
    const to = Array.from({ length: 900 }, (_, index) => `"Name, ${index}" <r${index}@x.test>`)
    const id = await api.accepted({ from: 'a@long.test', to, subject: 'Ünï', text, html, cc: [], tags: [] })
    const { status, headers, body } = await api.get(`/emails/${id}`)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    const { created_at, message_id, last_event, ...shown } = body
    assert.deepEqual(shown, {
      ...{ object: 'email', id, from: 'a@long.test', to, cc: [], bcc: [], reply_to: null, subject: 'Ünï' },
      ...{ html, text, scheduled_at: null, tags: [] },
    })
    assert.ok([created_at, message_id, last_event].every((value) => typeof value === 'string'))
  })

  test('counts for its company until the client has read it, or has left', async () => {
    await using service = await startService({ metrics: 'same' })
    const { key } = await service.tenant('long.test')
    const api = new Api(service.url, key.token)
    const text = '\u0001'.repeat(4_000_000)
    const id = await api.accepted({ from: 'a@long.test', to: 'b@x.test', text })
    const held = async () => {
      const page = await (await fetch(`${service.url}/metrics`)).text()
      return Number(/postroad_http_body_bytes\{size="large"\} (\d+)/.exec(page)![1])
    }
    const until = async (enough: (octets: number) => boolean) => {
      const late = Date.now() + 30_000
      for (let octets = await held(); !enough(octets); octets = await held()) {
        assert.ok(Date.now() < late, `${octets} octets are counted`)
        await pause(20)
      }
    }
    await until((octets) => octets === 0)

    const { hostname, port } = new URL(service.url)
    const slow = net.connect(Number(port), hostname)
    slow.write(`GET /emails/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.token}\r\n\r\n`)
    // The head has come, so the email was read; the rest waits for a client that takes in no more.
    await once(slow, 'readable')
    await until((octets) => octets >= text.length)
    // Another client gets it meanwhile.
    assert.equal((await api.get(`/emails/${id}`)).body.text, text)
    assert.ok((await held()) >= text.length)
    slow.destroy()
    await until((octets) => octets === 0)
  })
})
