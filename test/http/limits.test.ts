/** Limits that hold while a request arrives, and clients that are too slow. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Service, startService } from '../support/service.ts'
import { Api, basic, call, inTime, RawConnection } from './requests.ts'

describe('limits while reading', () => {
  let service: Service
  let api: Api
  // Base64 of 600,000 octets and 1 MiB around it.
  const limit = 800_000 + 1_048_576

  before(async () => {
    service = await startService({ maxMessageSize: 600_000, metrics: 'same' })
    const { key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const jsonHead = (more: string) =>
    `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\nContent-Type: application/json\r\n${more}\r\n`
  const formHead = (more: string, type: string) =>
    `POST /v3/acme.example/messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(api.token)}\r\nContent-Type: ${type}\r\n${more}\r\n`
  const heads: Record<string, (more: string) => string> = {
    JSON: jsonHead,
    urlencoded: (more) => formHead(more, 'application/x-www-form-urlencoded'),
    multipart: (more) => formHead(more, 'multipart/form-data; boundary=x'),
  }
  const fileHead = '--x\r\nContent-Disposition: form-data; name="attachment"; filename="a"\r\n\r\n'

  for (const [what, head] of Object.entries(heads)) {
    test(`${what}: 413 as soon as the declared length is over the limit, before any of the body`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(head(`Content-Length: ${limit + 1}\r\n`))
      assert.match(await connection.until(/\}$/), /^HTTP\/1\.1 413 .*\{.*"message":".*1\.8 MB/s)
      connection.socket.destroy()
    })

    test(`${what}: 400 for a body in chunks of one octet, long before its end`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(head('Transfer-Encoding: chunked\r\n') + '1\r\nx\r\n'.repeat(20_000))
      assert.match(
        await connection.until(/\}$/),
        /^HTTP\/1\.1 400 .*connection: close.*pieces that are too small/is,
      )
      connection.socket.destroy()
    })

    test(`${what}: the connection ends with that answer, also when the whole body has come`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(`${head('Transfer-Encoding: chunked\r\n')}${'1\r\nx\r\n'.repeat(3_000)}0\r\n\r\n`)
      assert.match(await connection.until(/\}$/), /connection: close.*too small/is)
      connection.socket.destroy()
    })

    test(`${what}: a body in chunks of some octets is read like any other`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(head('Transfer-Encoding: chunked\r\nConnection: close\r\n'))
      // As clients write a form: a name, a value, a line end.
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
      const value = chunk('\r\n') + chunk('x'.repeat(10)) + chunk('n'.repeat(60))
      connection.write(value.repeat(3_000))
      connection.write('0\r\n\r\n')
      assert.doesNotMatch(await connection.until(/\}$/), /too small/)
      connection.socket.destroy()
    })

    test(`${what}: 413 while a body of unknown length arrives, without waiting for its end`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(head('Transfer-Encoding: chunked\r\n'))
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
      connection.write(chunk(fileHead))
      for (let sent = 0; sent <= limit; sent += 65_536) connection.write(chunk('x'.repeat(65_536)))
      // The last chunk was not sent: a server that waits for it never answers.
      assert.match(await connection.until(/\}$/), /^HTTP\/1\.1 413 /)
      connection.socket.destroy()
    })

    test(`${what}: a client that keeps sending after a 413 is cut off`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(head('Transfer-Encoding: chunked\r\n'))
      const block = `10000\r\n${'x'.repeat(65_536)}\r\n`
      const pump = () => {
        while (!connection.socket.destroyed && connection.socket.write(block));
      }
      connection.socket.on('drain', pump)
      pump()
      assert.match(await connection.closed(), /^HTTP\/1\.1 413 /)
    })
  }

  test('a client that reads only after sending its whole body still gets the 413', async () => {
    const connection = new RawConnection(api.url)
    connection.write(jsonHead(`Content-Length: ${limit + 1}\r\n`) + 'x'.repeat(limit + 1))
    assert.match(await connection.closed(), /^HTTP\/1\.1 413 .*connection: close\r\n.*\}$/is)
  })

  test('bodies after those in chunks of one octet are read normally', async () => {
    const dust = jsonHead('Transfer-Encoding: chunked\r\n') + '1\r\nx\r\n'.repeat(20_000)
    const body = JSON.stringify({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const inChunks = jsonHead('Transfer-Encoding: chunked\r\nConnection: close\r\n') + chunk
    // Node.js gives the parsers of closed connections to later ones.
    for (const [request, status] of [
      [dust, 400],
      [inChunks, 200],
    ] as const) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const connection = new RawConnection(api.url)
          connection.write(request)
          assert.match(await connection.closed(), new RegExp(`^HTTP/1\\.1 ${status} `))
        }),
      )
    }
  })

  test('a client that already has its answer can send the body of its last request to the end', async () => {
    const { port, hostname: host } = new URL(api.url)
    const socket = net.connect({ port: Number(port), host, allowHalfOpen: true })
    const heard = text(socket)
    socket.write('POST /emails HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n')
    assert.match(await inTime(heard, 'the answer'), /^HTTP\/1\.1 401 /)
    const write = promisify(socket.write.bind(socket) as (octets: string, done: () => void) => boolean)
    // The first write causes a reset where the connection is closed, and a later one fails.
    for (let left = 10; left > 0; left--) await write('x'.repeat(10_000))
    socket.end()
    await inTime(once(socket, 'close'), 'the end of the connection')
  })

  test('Expect: 100-continue gets its "continue" when the body will be read', async () => {
    const connection = new RawConnection(api.url)
    const body = JSON.stringify({ from: 'a@acme.example', to: 'b@x.test', text: 't' })
    connection.write(
      jsonHead(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n`),
    )
    await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    connection.write(body)
    assert.match(await connection.closed(), /HTTP\/1\.1 200 OK/)
  })

  test('Expect: 100-continue gets a refusal when the body will not be read', async () => {
    for (const head of [
      jsonHead(`Content-Length: ${limit + 1}\r\nExpect: 100-continue\r\n`),
      'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    ]) {
      const connection = new RawConnection(api.url)
      connection.write(head)
      const received = await connection.closed()
      assert.match(received, /^HTTP\/1\.1 4(13|01) /)
      assert.match(received, /connection: close/i)
    }
  })

  const malformed: [what: string, request: string, status: number][] = [
    ['not HTTP', 'EHLO x\r\n\r\n', 400],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['a header that never ends', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}`, 431],
    ['a target that never ends', `GET /${'a'.repeat(17_000)}`, 431],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 400],
    [
      'a transfer coding beside chunked',
      'POST /emails HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
    ],
    [
      'two lengths',
      'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      400,
    ],
    [
      'a length beside chunks (request smuggling)',
      'POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['an expectation nobody knows', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
  ]
  for (const [what, request, status] of malformed) {
    test(`${what}: ${status} in JSON, and the end of the connection`, async () => {
      const connection = new RawConnection(api.url)
      connection.write(request)
      const received = await connection.closed()
      assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `))
      const body = JSON.parse(/\{.*\}/.exec(received)![0]) as Record<string, unknown>
      assert.deepEqual(Object.keys(body).sort(), ['message', 'name', 'statusCode'])
      assert.equal(body.statusCode, status)
      assert.match(received, /cache-control: no-store\r\n/i)
      const id = /x-request-id: ([0-9a-f-]{36})\r\n/i.exec(received)?.[1]
      const about = service.logged.filter((line) => JSON.parse(line).requestId === id)
      assert.deepEqual(
        about.map((line) => [JSON.parse(line).level, JSON.parse(line).status]),
        [['debug', status]],
      )
      const { text } = await call(`${api.url}/metrics`)
      assert.ok(text.includes(`postroad_http_requests_total{operation="other",status="${status}"}`))
    })
  }

  for (const [path, status] of [
    ['/', 405],
    ['/emails', 405],
    ['/nothing', 404],
    ['/v3/acme.example/messages', 405],
  ] as const) {
    test(`QUERY ${path}, an unknown method: ${status}`, async () => {
      for (const more of [
        '',
        'Content-Type: nonsense\r\n',
        'Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx',
      ]) {
        const connection = new RawConnection(api.url)
        connection.write(`QUERY ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`)
        assert.match(await connection.closed(), new RegExp(`^HTTP/1\\.1 ${status} `))
      }
    })
  }

  test('the absolute form of a target is accepted', async () => {
    const connection = new RawConnection(api.url)
    connection.write('GET http://mail.test//health HTTP/1.1\r\nHost: mail.test\r\nConnection: close\r\n\r\n')
    assert.match(await connection.closed(), /^HTTP\/1\.1 200 /)
  })
})

describe('slow clients', () => {
  let service: Service
  let api: Api

  before(async () => {
    service = await startService({ requestTimeout: 900 })
    const { key } = await service.tenant('acme.example')
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const head = (length: number) =>
    `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

  /** Writes one octet after another, more slowly than the service allows, until it is cut. */
  async function drip(start: string, text: string): Promise<string> {
    const connection = new RawConnection(api.url)
    connection.write(start)
    let at = 0
    const timer = setInterval(() => connection.write(text[at++ % text.length]!), 100)
    try {
      return await connection.closed()
    } finally {
      clearInterval(timer)
    }
  }

  test('a body that drips in: 408, and the end of the connection', async () => {
    assert.match(await drip(head(100_000), ' '), /^HTTP\/1\.1 408 .*"statusCode":408/s)
  })

  test('a head that drips in: 408, and the end of the connection', async () => {
    assert.match(await drip('GET / HTTP/1.1\r\nHost: x\r\nX: ', 'a'), /^HTTP\/1\.1 408 /)
  })

  test('a head has less time than a body', async () => {
    await using patient = await startService({ requestTimeout: 3_000 })
    const { key } = await patient.tenant('slow.example')
    const head = new RawConnection(patient.url)
    const slow = new RawConnection(patient.url)
    slow.write(
      `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    )
    head.write('GET / HTTP/1.1\r\nHost: x\r\nX: ')
    assert.match(await Promise.race([head.closed(), slow.closed()]), /^HTTP\/1\.1 408 /)
    assert.equal(slow.received, '')
    assert.match(await slow.closed(), /^HTTP\/1\.1 408 /)
  })

  test('a multipart body that stops in the middle: 408', async () => {
    const connection = new RawConnection(api.url)
    connection.write(
      `POST /v3/acme.example/messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(api.token)}\r\n` +
        'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\nContent-',
    )
    assert.match(await connection.closed(), /^HTTP\/1\.1 408 /)
  })

  test('a client that got its answer early and never sends the rest of its body is closed without a second answer', async () => {
    const connection = new RawConnection(api.url)
    connection.write('POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
    const received = await connection.closed()
    assert.deepEqual(received.match(/HTTP\/1\.1 \d{3}/g), ['HTTP/1.1 401'])
  })

  test('a silent connection is closed', async () => {
    await new RawConnection(api.url).closed()
  })

  test('a client that leaves in the middle of its body disturbs no other client and is no error', async () => {
    const connection = new RawConnection(api.url)
    connection.write(`${head(100)}{`)
    connection.socket.end()
    await connection.closed()
    assert.equal((await api.send({ from: 'a@acme.example', to: 'b@x.test', text: 't' })).status, 200)
    assert.deepEqual(
      service.logged.filter((line) => /^(?:error|fatal)$/.test(JSON.parse(line).level)),
      [],
    )
  })
})
