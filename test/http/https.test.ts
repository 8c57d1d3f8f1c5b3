/** HTTPS, and the replacement of its certificate while the service runs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import tls from 'node:tls'
import { selfSigned } from '../../harness/certificate.ts'
import { readCertificate } from '../../src/ingress/tls.ts'
import { type Service, startService } from '../support/service.ts'
import { basic } from './requests.ts'

/** The server does not support the first group of this ClientHello: it asks for another one. */
const ASKED_AGAIN = { ecdhCurve: 'secp521r1:X25519' }

describe('HTTPS', () => {
  let directory: string
  let service: Service
  let certPath: string
  let keyPath: string
  let first: { cert: string; key: string }

  before(async () => {
    directory = mkdtempSync(join(os.tmpdir(), 'postroad-tls-'))
    certPath = join(directory, 'cert.pem')
    keyPath = join(directory, 'key.pem')
    first = selfSigned(['localhost', '127.0.0.1'])
    install(first)
    service = await startService({ tls: { certPath, keyPath } })
  })
  after(async () => {
    await service.close()
    rmSync(directory, { recursive: true, force: true })
  })

  function install({ cert, key }: { cert: string; key: string }): void {
    writeFileSync(keyPath, key)
    writeFileSync(certPath, cert)
  }

  async function connect(options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
    const { hostname, port } = new URL(service.url)
    const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options })
    await once(socket, 'secureConnect')
    return socket
  }

  /** The first octets of a client. */
  async function clientHello(options: tls.ConnectionOptions = {}): Promise<Buffer> {
    const said = Promise.withResolvers<Buffer>()
    const wire = new Duplex({ read() {}, write: (octets: Buffer) => said.resolve(octets) })
    tls.connect({ ...options, socket: wire }).on('error', () => {})
    return await said.promise
  }

  test('many handshakes at once take turns, and those of another address need not wait for them', async () => {
    const port = Number(new URL(service.url).port)
    const many = Array.from({ length: 64 }, () => net.connect(port, '127.0.0.1'))
    let answered = 0
    for (const socket of many) socket.on('error', () => {}).once('data', () => answered++)
    await Promise.all(many.map((socket) => once(socket, 'connect')))
    const hello = await clientHello(ASKED_AGAIN)
    for (const socket of many) socket.write(hello)
    const other = await connect({ localAddress: '127.0.0.2' } as tls.ConnectionOptions)
    assert.ok(answered < 32, `${answered} came first`)
    other.destroy()
    for (const socket of many) socket.destroy()
  })

  /** Connections that send only this, and a list of those that have been answered. */
  async function stalled(count: number, hello: Buffer) {
    const port = Number(new URL(service.url).port)
    const sockets = Array.from({ length: count }, () => net.connect(port, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const answered = sockets.map((socket) =>
      once(
        socket.on('error', () => {}),
        'data',
      ),
    )
    for (const socket of sockets) socket.write(hello)
    return { sockets, answered }
  }

  test('clients on slow networks keep their handshakes while others come', async () => {
    const { sockets, answered } = await stalled(48, await clientHello())
    await Promise.all(answered)
    ;(await connect()).destroy()
    assert.equal(sockets.filter(({ destroyed }) => destroyed).length, 0)
    for (const socket of sockets) socket.destroy()
  })

  test('few handshakes may still need a signature, and they are closed when they make no progress', async () => {
    const { sockets, answered } = await stalled(40, await clientHello(ASKED_AGAIN))
    let count = 0
    for (const each of answered) each.then(() => count++).catch(() => {})
    const closed = sockets.map((socket) => once(socket, 'close'))
    await Promise.race(closed)
    assert.ok(count <= 17, `${count} were answered before one gave way`)
    await Promise.allSettled(answered)
    assert.equal(count, 40)
    for (const socket of sockets) socket.destroy()
  })

  test('no key is transported by RSA', async () => {
    await assert.rejects(connect({ maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }))
  })

  test('a client that leaves before or during its handshake harms no other client', async () => {
    const port = Number(new URL(service.url).port)
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const socket = net.connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.resume()[end]()
      await once(socket, 'close')
    }
    ;(await connect()).destroy()
  })

  test('a connection has only one handshake', async () => {
    const socket = await connect({ maxVersion: 'TLSv1.2' })
    const ended = once(socket, 'error')
    socket.renegotiate({ rejectUnauthorized: false }, () => {})
    assert.match(String(await ended), /no.?renegotiation/i)
  })

  async function served(): Promise<string> {
    const socket = await connect()
    const { raw } = socket.getPeerCertificate()
    socket.destroy()
    return raw.toString('base64')
  }
  const octets = (cert: string) => cert.replace(/-----[^-]+-----|\s/g, '')

  /** New connections see the certificate, sooner or later. */
  async function becomes(cert: string): Promise<void> {
    const deadline = Date.now() + 20_000
    while ((await served()) !== octets(cert)) {
      assert.ok(Date.now() < deadline, 'the certificate was not taken over')
      await pause(50)
    }
  }

  test('requests are answered over a connection whose certificate can be verified', async () => {
    const { key } = await service.tenant('acme.example')
    const body = new URLSearchParams({ from: 'a@acme.example', to: 'b@x.test', text: 't' }).toString()
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    https
      .request(
        `${service.url}/v3/acme.example/messages`,
        {
          method: 'POST',
          ca: first.cert,
          headers: {
            authorization: basic(key.token),
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': body.length,
          },
        },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      .on('error', reject)
      .end(body)
    assert.match(service.url, /^https:/)
    assert.equal(await promise, 200)
  })

  test('versions below TLS 1.2 are refused', async () => {
    assert.match((await connect({ maxVersion: 'TLSv1.2' })).getProtocol() ?? '', /^TLSv1\.2$/)
    await assert.rejects(
      connect({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    )
  })

  test('older versions are refused even where OpenSSL and Node.js would allow them', async () => {
    const standard = tls.DEFAULT_MIN_VERSION
    tls.DEFAULT_MIN_VERSION = 'TLSv1'
    try {
      const ours = await readCertificate({ certPath, keyPath })
      const open = { cert: ours.cert!, key: ours.key! }
      for (const [options, spoken] of [
        [open, true],
        [ours, false],
      ] as const) {
        const server = tls.createServer({ ...options, ciphers: 'DEFAULT@SECLEVEL=0' }, (socket) =>
          socket.end(),
        )
        server.on('tlsClientError', () => {})
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        const { port } = server.address() as AddressInfo
        const old = tls.connect({
          host: '127.0.0.1',
          port,
          rejectUnauthorized: false,
          maxVersion: 'TLSv1.1',
          ciphers: 'DEFAULT@SECLEVEL=0',
        })
        const connected = await once(old, 'secureConnect').then(
          () => true,
          () => false,
        )
        old.on('error', () => {}).destroy()
        server.close()
        assert.equal(connected, spoken)
      }
    } finally {
      tls.DEFAULT_MIN_VERSION = standard
    }
  })

  test('a connection without a handshake, or with plain HTTP, disturbs no other client', async () => {
    const { hostname, port } = new URL(service.url)
    const { connect: connectPlain } = await import('node:net')
    const plain = connectPlain(Number(port), hostname)
    plain.on('error', () => {})
    plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(plain, 'close')
    assert.equal(await served(), octets(first.cert))
  })

  test('a new pair of files that replaces the old one is used; open connections stay open', async () => {
    const open = await connect()
    const second = selfSigned(['localhost', '127.0.0.1'])
    install(second)
    await becomes(second.cert)
    open.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(String((await once(open, 'data'))[0]), /^HTTP\/1\.1 200 /)
    open.destroy()
  })

  test('an invalid pair is not used, and causes an error in the log', async () => {
    const good = await served()
    writeFileSync(certPath, 'nonsense')
    const deadline = Date.now() + 20_000
    while (!service.logged.some((line) => line.includes('certificate cannot be used'))) {
      assert.ok(Date.now() < deadline, 'nothing was logged')
      await pause(50)
    }
    assert.equal(await served(), good)
    const third = selfSigned(['localhost', '127.0.0.1'])
    install(third)
    await becomes(third.cert)
  })

  test('files moved into place are noticed', async () => {
    const fourth = selfSigned(['localhost', '127.0.0.1'])
    writeFileSync(`${certPath}.new`, fourth.cert)
    writeFileSync(`${keyPath}.new`, fourth.key)
    renameSync(`${keyPath}.new`, keyPath)
    renameSync(`${certPath}.new`, certPath)
    await becomes(fourth.cert)
  })

  test('replaced symbolic links are noticed, as container platforms use them', async () => {
    const fifth = selfSigned(['localhost', '127.0.0.1'])
    mkdirSync(join(directory, 'v2'))
    for (const [name, text] of [
      ['cert.pem', fifth.cert],
      ['key.pem', fifth.key],
    ] as const) {
      writeFileSync(join(directory, 'v2', name), text)
      symlinkSync(join('v2', name), join(directory, `${name}.link`))
      renameSync(join(directory, `${name}.link`), join(directory, name))
    }
    await becomes(fifth.cert)
  })

  test('a start with files that do not match fails with a sentence that names them', async () => {
    const other = mkdtempSync(join(os.tmpdir(), 'postroad-tls-'))
    try {
      const tlsFiles = { certPath: join(other, 'cert.pem'), keyPath: join(other, 'key.pem') }
      await assert.rejects(startService({ tls: tlsFiles }), /POSTROAD_TLS_CERT .*cert\.pem.* cannot be used/)
      writeFileSync(tlsFiles.certPath, selfSigned(['localhost']).cert)
      writeFileSync(tlsFiles.keyPath, selfSigned(['localhost']).key)
      await assert.rejects(startService({ tls: tlsFiles }), /the key must belong to the certificate/)
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })
})
