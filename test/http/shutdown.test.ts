/** Keep-alive, and a stop that lets open requests finish. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startService } from '../support/service.ts'
import { Api, inTime, RawConnection } from './requests.ts'

const BODY = JSON.stringify({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
const request = (token: string) =>
  `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

describe('keep-alive', () => {
  test('one connection serves request after request, refused ones among them', async () => {
    await using service = await startService()
    const { key } = await service.tenant('acme.example')
    const connection = new RawConnection(service.url)
    for (const [count, token] of [key.token, 'wrong', key.token].entries()) {
      connection.write(request(token) + BODY)
      await connection.until(new RegExp(`(?:HTTP/1\\.1 .*\\}){${count + 1}}$`, 's'))
    }
    assert.deepEqual(connection.received.match(/HTTP\/1\.1 \d{3}/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 401',
      'HTTP/1.1 200',
    ])
    connection.socket.destroy()
  })

  test('pipelined requests are answered in order', async () => {
    await using service = await startService()
    const { key } = await service.tenant('acme.example')
    const connection = new RawConnection(service.url)
    connection.write((request(key.token) + BODY).repeat(2) + request('wrong') + BODY)
    await connection.until(/401 .*\}$/s)
    assert.deepEqual(connection.received.match(/HTTP\/1\.1 \d{3}/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 401',
    ])
    connection.socket.destroy()
  })
})

describe('stopping', () => {
  test('an idle connection is closed at once, an open request finishes and is durable, and new ones are refused', async () => {
    await using service = await startService()
    const { key, company } = await service.tenant('acme.example')
    const idle = new RawConnection(service.url)
    idle.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.until(/\}$/)
    const open = new RawConnection(service.url)
    open.write(`${request(key.token).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')}`)
    await open.until(/100 Continue/)

    const stopped = service.stop()
    await idle.closed()
    assert.equal(await new RawConnection(service.url).closed(), '')
    open.write(BODY)
    assert.match(await open.closed(), /HTTP\/1\.1 200 OK.*\{"id":/s)
    await inTime(stopped, 'the stop')

    const again = await startService({ database: service.settings.database })
    try {
      assert.equal((await again.store.listEmails({ companyId: company.id, limit: 10 })).length, 1)
    } finally {
      await again.close()
    }
  })

  test('a connection without a request does not delay the stop', async () => {
    await using service = await startService({ shutdownTimeout: 60_000 })
    const silent = new RawConnection(service.url)
    const begun = new RawConnection(service.url)
    begun.write('GET /health HT')
    // Answered after both were let in: one listener takes connections in order.
    const other = new RawConnection(service.url)
    other.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await other.until(/\}$/)
    await inTime(service.stop(), 'the stop')
    await Promise.all([silent.closed(), begun.closed(), other.closed()])
  })

  test('a request that does not finish is cut off after the time allowed', async () => {
    await using service = await startService({ shutdownTimeout: 200 })
    const { key } = await service.tenant('acme.example')
    const open = new RawConnection(service.url)
    open.write(`${request(key.token)}{`)
    // Served after the one above was taken up: both arrive on the same listener, one after the other.
    await new Api(service.url, key.token).get('/emails/x')
    await service.stop()
    await open.closed()
  })
})
