/** Pipelined requests: a few are answered in order, and too many end the connection before they are begun. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { startService } from '../support/service.ts'
import { inTime, RawConnection } from './requests.ts'

const REQUEST = 'GET /emails/1 HTTP/1.1\r\nHost: x\r\n\r\n'

async function answers(connection: RawConnection, count: number): Promise<void> {
  while (connection.received.split('HTTP/1.1 401 ').length <= count) await once(connection.socket, 'more')
}

describe('pipelined requests', () => {
  test('up to sixteen at a time are answered, any number of times', async () => {
    await using service = await startService()
    const connection = new RawConnection(service.url)
    for (let times = 1; times <= 3; times++) {
      connection.write(REQUEST.repeat(16))
      await inTime(answers(connection, 16 * times), `${16 * times} answers`)
    }
    connection.socket.destroy()
  })

  test('of more than sixteen in one piece no more are begun, and the connection ends', async () => {
    await using service = await startService({ metrics: 'same' })
    const connection = new RawConnection(service.url)
    connection.write(REQUEST.repeat(1_500))
    await connection.closed()
    const page = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(page, /^postroad_http_requests_total\{operation="email_read",status="401"\} 16$/m)
  })
})
