/** Companies share the places for requests under way and the memory of their bodies. No company can take more than its share. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import os from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { ReportLinks } from '../../src/domain-reports/received/report-links.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, basic, call, RawConnection } from './requests.ts'

const MIB = 1024 * 1024

describe('requests under way', () => {
  let service: Service
  let abuser: Api
  let other: Api
  let parked: RawConnection[] = []

  before(async () => {
    // 40 requests, 8 MB for small bodies and 32 MB for large ones.
    service = await startService({ memory: 40 * MIB, maxMessageSize: 4 * MIB })
    abuser = new Api(service.url, (await service.tenant('abuse.example')).key.token)
    other = new Api(service.url, (await service.tenant('other.example')).key.token)
  })
  after(() => service.close())

  const park = (length: number, more = '') => {
    const connection = new RawConnection(service.url)
    connection.write(
      `POST /emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${abuser.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${more}`,
    )
    parked.push(connection)
    return connection
  }
  const leave = async () => {
    for (const { socket } of parked) socket.destroy()
    parked = []
    // The service has noticed when a request of the same company finds room again.
    for (let tries = 0; (await abuser.send({})).status === 429; tries++)
      assert.ok(tries < 10_000, 'requests that are over still count')
  }
  const mail = (domain: string) => ({ from: `a@${domain}`, to: 'b@x.test', text: 'hello' })

  test('a company that leaves requests open gets 429 for more, and another company is served', async () => {
    for (let count = 0; count < 40; count++) park(1_000, '{')
    const refused = await Promise.race(parked.map((connection) => connection.until(/\}$/)))
    assert.match(refused, /^HTTP\/1\.1 429 .*retry-after: [1-9]\d*\r\n.*"name":"rate_limit_exceeded"/is)
    assert.equal((await other.send(mail('other.example'))).status, 200)
    const form = await abuser.form('abuse.example', [['from', 'a@abuse.example']])
    assert.equal(form.status, 429)
    assert.match(form.headers.get('retry-after')!, /^[1-9]\d*$/)
    assert.match(String(form.body.message), /in progress/)
    assert.equal(parked.filter(({ received }) => received === '').length >= 27, true)
    await leave()
  })

  test('reports that strangers post about a domain do not count for its company', async () => {
    const { domain, key } = await service.tenant('victim.example')
    const link = new URL(new ReportLinks(service.app.seal).url(service.url, domain.id)).pathname
    for (let count = 0; count < 60; count++) {
      const connection = new RawConnection(service.url)
      connection.write(`POST ${link} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`)
      parked.push(connection)
    }
    await Promise.race(parked.map((connection) => connection.until(/\}$/)))
    const victim = new Api(service.url, key.token)
    const answers = await Promise.all([1, 2].map(() => victim.send(mail('victim.example'))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    await leave()
  })

  test('small bodies count as well: a body without room is read only when there is some', async () => {
    for (let count = 0; count < 20; count++) park(200_000, ' '.repeat(150_000))
    assert.equal((await other.send(mail('other.example'))).status, 200)
    const waits = park(200_000, `${JSON.stringify(mail('abuse.example'))}`.padEnd(200_000))
    const first = parked[0]!
    first.write(`${JSON.stringify(mail('abuse.example'))}`.padEnd(50_000))
    assert.match(await first.until(/\}$/), /^HTTP\/1\.1 200 /)
    for (const one of parked.slice(1, 20)) one.socket.destroy()
    assert.match(await waits.until(/\}$/), /^HTTP\/1\.1 200 /)
    await leave()
  })

  test('a large body that does not arrive gives way to one that waits for its room', async () => {
    const large = 5 * MIB
    const slow = [park(large, ' '), park(large, ' ')]
    const body = JSON.stringify({ ...mail('other.example'), text: 'x'.repeat(3 * MIB) })
    const reply = await other.send(body)
    assert.equal(reply.status, 200, reply.text)
    assert.match(
      await Promise.race(slow.map((connection) => connection.closed())),
      /^HTTP\/1\.1 408 .*connection: close/is,
    )
    await leave()
  })

  test('a client that leaves while it waits for room delays no other client', async () => {
    const large = 5 * MIB
    const [held] = [park(large, ' ')]
    for (let count = 0; count < 3; count++) park(large)
    // They have been counted when the other one is answered.
    assert.equal((await other.send(mail('other.example'))).status, 200)
    for (const { socket } of parked.slice(1)) socket.destroy()
    held!.socket.destroy()
    await leave()
    const body = JSON.stringify({ ...mail('other.example'), text: 'x'.repeat(3 * MIB) })
    const requests = Array.from({ length: 3 }, () => other.send(body))
    assert.deepEqual(
      (await Promise.all(requests)).map(({ status }) => status),
      [200, 200, 200],
    )
  })

  test('a body without a declared length is counted as it arrives', async () => {
    const connections = Array.from({ length: 12 }, () => {
      const connection = new RawConnection(service.url)
      connection.write(
        `POST /v3/abuse.example/messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(abuser.token)}\r\n` +
          'Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n',
      )
      for (let sent = 0; sent < 5 * MIB; sent += 65_536)
        connection.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)
      parked.push(connection)
      return connection
    })
    const refused = await Promise.race(connections.map((connection) => connection.until(/\}$/)))
    assert.match(refused, /^HTTP\/1\.1 (429|503) /)
    assert.equal((await other.send(mail('other.example'))).status, 200)
    await leave()
  })
})

describe('a request gives back its place and its memory, however it ends', () => {
  /** One more than there are requests that may be under way. */
  const ROUNDS = 41
  let service: Service
  let api: Api
  /** May read, and send nothing. */
  let reader: Api
  let large: string

  before(async () => {
    // 40 requests, 8 MB for small bodies and 27 MB for large ones, each of which costs four times its octets; 1.1 MB at most for one.
    service = await startService({ memory: 40 * MIB, maxMessageSize: 64 * 1024, metrics: 'same' })
    const { company, key } = await service.tenant('acme.example')
    await service.tenant('other.example')
    api = new Api(service.url, key.token)
    reader = new Api(service.url, (await service.key(company.id, { scopes: ['reading'] })).token)
    large = await api.accepted({ ...mail, text: 'x'.repeat(40_000) })
  })
  after(() => service.close())

  const mail = { from: 'a@acme.example', to: 'b@x.test', text: 'hello' }
  const fields = (change: Record<string, string> = {}) => Object.entries({ ...mail, ...change })
  /** Content that makes the body larger, beside the mail. */
  const padding = (octets: number) => 'x'.repeat(octets)
  const parts = (change: Record<string, string> = {}) =>
    fields(change).map(([name, value]) => ({ name, value }))

  /** Requests and octets that count now. */
  const counts = async () => {
    const { text } = await call(`${service.url}/metrics`)
    const number = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(name))!
          .split(' ')[1],
      )
    return {
      requests: number('postroad_http_requests_under_way{state="all"}'),
      waiting: number('postroad_http_requests_under_way{state="waiting"}'),
      small: number('postroad_http_body_bytes{size="small"}'),
      large: number('postroad_http_body_bytes{size="large"}'),
    }
  }
  type Counts = Awaited<ReturnType<typeof counts>>
  const NOTHING: Counts = { requests: 0, waiting: 0, small: 0, large: 0 }
  /** Polls, because no event reports that the end of a client was noticed; fails with the counts after the last look. */
  const once = async (isSo: (counts: Counts) => boolean) => {
    for (let looks = 0; looks < 2_000; looks++) {
      const found = await counts()
      if (isSo(found)) return found
    }
    return counts()
  }

  const head = (path: string, authorization: string, more: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${more}\r\n`
  const jsonHead = (more: string) =>
    head('/emails', `Bearer ${api.token}`, `Content-Type: application/json\r\n${more}`)
  const formHead = (more: string) =>
    head(
      '/v3/acme.example/messages',
      basic(api.token),
      `Content-Type: application/x-www-form-urlencoded\r\n${more}`,
    )
  /** The answer to a request whose last octets are not sent. */
  const answerTo = async (octets: string) => {
    const connection = new RawConnection(service.url)
    connection.write(octets)
    const received = await connection.until(/^HTTP\/1\.1 \d{3} .*\}$/s)
    connection.socket.destroy()
    return { status: Number(received.slice(9, 12)) }
  }
  const chunks = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(18)

  const ends: [what: string, status: number, ask: () => Promise<{ status: number }>][] = [
    ['JSON, accepted', 200, () => api.send(mail)],
    ['JSON, read in a worker and accepted', 200, () => api.send({ ...mail, x: padding(150_000) })],
    ['JSON, large and accepted', 200, () => api.send({ ...mail, x: padding(700_000) })],
    ['JSON, the same again under its idempotency key', 200, () => api.send(mail, { 'idempotency-key': 'a' })],
    ['JSON, without a key', 401, () => call(`${service.url}/emails`, { method: 'POST', body: '{}' })],
    ['JSON, with a wrong key', 401, () => new Api(service.url, 'pr_none').send(mail)],
    ['JSON, with a key that may not send', 403, () => reader.send(mail)],
    ['JSON, for a domain of another', 403, () => api.send({ ...mail, from: 'a@other.example' })],
    ['JSON, declared too large', 413, () => answerTo(jsonHead('Content-Length: 9999999\r\n'))],
    [
      'JSON, too large as it comes',
      413,
      () => answerTo(`${jsonHead('Transfer-Encoding: chunked\r\n')}${chunks}`),
    ],
    ['JSON, a message too large', 413, () => api.send({ ...mail, text: padding(100_000) })],
    ['JSON, of another type', 415, () => api.send(mail, { 'content-type': 'text/plain' })],
    ['JSON, wrong', 422, () => api.send({ ...mail, to: 'nobody' })],
    ['JSON, wrong and read in a worker', 422, () => api.send({ ...mail, to: 'nobody', x: padding(150_000) })],
    ['JSON, not to be read', 400, () => api.send(`{${padding(150_000)}`)],
    ['JSON, an email that is read', 200, () => api.get(`/emails/${large}`)],
    ['JSON, an email that is not there', 404, () => api.get('/emails/none')],
    ['form, accepted', 200, () => api.form('acme.example', fields())],
    [
      'form, read in a worker and accepted',
      200,
      () => api.form('acme.example', fields({ x: padding(150_000) })),
    ],
    ['form, in parts and accepted', 200, () => api.multipart('acme.example', parts())],
    ['form, large and accepted', 200, () => api.multipart('acme.example', parts({ x: padding(700_000) }))],
    [
      'form, a batch',
      200,
      () => api.form('acme.example', fields({ 'recipient-variables': '{"b@x.test":{"a":1}}' })),
    ],
    ['form, with a wrong key', 401, () => new Api(service.url, 'pr_none').form('acme.example', fields())],
    ['form, with a key that may not send', 403, () => reader.form('acme.example', fields())],
    ['form, for a domain of another', 404, () => api.form('other.example', fields())],
    ['form, declared too large', 413, () => answerTo(formHead('Content-Length: 9999999\r\n'))],
    [
      'form, too large as it comes',
      413,
      () => answerTo(`${formHead('Transfer-Encoding: chunked\r\n')}${chunks}`),
    ],
    ['form, wrong', 400, () => api.form('acme.example', fields({ to: 'nobody' }))],
    [
      'form, wrong and read in a worker',
      400,
      () => api.form('acme.example', fields({ to: '', x: padding(150_000) })),
    ],
    [
      'form, not to be read',
      400,
      () => api.multipart('acme.example', [{ name: 'a', value: 'b', disposition: 'x' }]),
    ],
    ['MIME, without its message', 400, () => api.multipart('acme.example', parts(), 'messages.mime')],
  ]
  for (const [what, status, ask] of ends) {
    test(`${what}: ${status}, many times, and nothing is counted at the end`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const reply = await ask()
        assert.equal(reply.status, status, `round ${round}: ${'text' in reply ? reply.text : ''}`)
      }
      // A client that was cut off or read a long answer may count a moment longer.
      assert.deepEqual(await once(({ requests }) => requests === 0), NOTHING)
    })
  }

  for (const [what, begin] of [
    ['JSON', jsonHead],
    ['form', formHead],
  ] as const) {
    const leaving: [how: string, octets: () => string, count: number][] = [
      ['in the middle of a small body', () => begin('Content-Length: 100000\r\n') + padding(1_000), 10],
      ['in the middle of a large body', () => begin('Content-Length: 1000000\r\n') + padding(1_000), 5],
      [
        'in the middle of a body of unknown length',
        () => begin('Transfer-Encoding: chunked\r\n') + chunks.slice(0, 9),
        15,
      ],
      ['waiting for room', () => begin('Content-Length: 1000000\r\n'), 15],
    ]
    for (const [how, octets, count] of leaving) {
      test(`${what}, clients that leave ${how}, many times: nothing is counted at the end`, async (t) => {
        for (let round = 0; round < 4; round++) {
          const connections = Array.from({ length: count }, () => new RawConnection(service.url))
          const leave = () => {
            for (const { socket } of connections) socket.destroy()
          }
          t.after(leave)
          for (const connection of connections) connection.write(octets())
          const under = await once(({ requests }) => requests === count)
          assert.equal(under.requests, count)
          assert.ok(under.small + under.large > 0)
          assert.equal(under.waiting > 0, how === 'waiting for room')
          leave()
          assert.deepEqual(await once(({ requests }) => requests === 0), NOTHING)
        }
      })
    }
  }
})

describe('bodies that are not read', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const head = (more: string) =>
    `POST /emails HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n`

  for (const [what, length] of [
    ['declared', 'Content-Length: 52428800\r\n'],
    ['of unknown length', 'Transfer-Encoding: chunked\r\n'],
  ]) {
    test(`without a key, a large body, ${what}, is answered and not read to its end`, async () => {
      const connection = new RawConnection(service.url)
      connection.write(head(length!))
      const block = `10000\r\n${'x'.repeat(65_536)}\r\n`
      let taken = 0
      const pump = () => {
        while (!connection.socket.destroyed && connection.socket.write(block)) taken += block.length
        taken += block.length
      }
      connection.socket.on('drain', pump)
      pump()
      assert.match(await connection.closed(), /^HTTP\/1\.1 401 .*connection: close\r\n/is)
      // The buffers of the kernel on both sides are in this figure as well.
      assert.ok(taken < 16 * MIB, `${taken} octets were taken`)
    })
  }

  test('after a refusal with a small body, the connection stays open', async () => {
    const connection = new RawConnection(service.url)
    connection.write(head('Content-Length: 100000\r\n'))
    assert.match(await connection.until(/\}$/), /^HTTP\/1\.1 401 /)
    connection.write('x'.repeat(100_000))
    connection.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert.match(await connection.closed(), /HTTP\/1\.1 200 .*"status":"ok"/s)
  })
})

describe('connections', () => {
  let service: Service
  let idle: RawConnection[] = []
  beforeEach(async () => {
    service = await startService({ memory: 20 * MIB, maxMessageSize: MIB })
  })
  afterEach(async () => {
    for (const { socket } of idle) socket.destroy()
    idle = []
    await service.close()
  })

  test('idle connections make room for a probe, the oldest first', async () => {
    // 40 connections in all.
    for (let count = 0; count < 60; count++) {
      const connection = new RawConnection(service.url)
      idle.push(connection)
      await once(connection.socket, 'connect')
    }
    const [first] = idle
    assert.equal(await first!.closed(), '')
    const probe = new RawConnection(service.url)
    probe.write('GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert.match(await probe.closed(), /^HTTP\/1\.1 200 .*"status":"ready"/s)
    // Who came last is still there.
    const last = idle.at(-1)!
    last.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert.match(await last.closed(), /^HTTP\/1\.1 200 /)
  })

  test('a company at its share of idle connections loses its oldest one, and no other company loses any', async () => {
    const abuser = await service.tenant('abuse.example')
    const other = await service.tenant('other.example')
    const read = (token: string) =>
      `GET /emails/none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const kept = new RawConnection(service.url)
    kept.write(read(other.key.token))
    await kept.until(/\}$/)
    for (let count = 0; count < 60; count++) {
      const connection = new RawConnection(service.url)
      connection.write(read(abuser.key.token))
      await connection.until(/\}$/)
      idle.push(connection)
    }
    await idle[0]!.closed()
    kept.write(read(other.key.token))
    await kept.until(/\}HTTP.*\}$/s)
    kept.socket.destroy()
  })
})

test('clients that never finish their TLS handshake do not block the handshakes of others', async () => {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-tls-'))
  const { cert, key } = selfSigned(['127.0.0.1'])
  const certPath = join(directory, 'cert.pem')
  const keyPath = join(directory, 'key.pem')
  writeFileSync(certPath, cert)
  writeFileSync(keyPath, key)
  // 40 connections, 5 handshakes at once.
  await using service = await startService({
    memory: 20 * MIB,
    maxMessageSize: MIB,
    tls: { certPath, keyPath },
  })
  const silent = Array.from({ length: 12 }, () => new RawConnection(service.url))
  await Promise.all(silent.slice(0, 7).map((connection) => connection.closed()))
  const agent = new https.Agent({ keepAlive: false, rejectUnauthorized: false })
  for (let count = 0; count < 60; count++) {
    const [response] = await once(https.get(`${service.url}/health`, { agent }), 'response')
    assert.equal((response as IncomingMessage).statusCode, 200)
    ;(response as IncomingMessage).resume()
    await once(response as IncomingMessage, 'close')
  }
  for (const { socket } of silent) socket.destroy()
  rmSync(directory, { recursive: true, force: true })
})

test('repeated readiness checks cost one commit a second', async () => {
  await using service = await startService()
  const { store } = service
  const probe = store.probe.bind(store)
  let commits = 0
  store.probe = () => {
    commits += 1
    return probe()
  }
  const startedAt = performance.now()
  for (let round = 0; round < 20; round++) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => fetch(`${service.url}/ready`)))
    assert.ok(replies.every(({ status }) => status === 200))
  }
  assert.ok(commits <= 1 + (performance.now() - startedAt) / 1_000, `${commits} commits`)
})
