/** What TLS is spoken over hands its octets over by the slice, and lets others go between. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import tls, { createSecureContext, type TLSSocket } from 'node:tls'
import { selfSigned } from '../../harness/certificate.ts'
import { TlsRecords } from '../../harness/tls-records.ts'
import { encrypt } from '../../src/network/encrypted-socket.ts'
import { TlsTransport } from '../../src/network/tls-transport.ts'

/** Ms of work on each slice: more than a turn of the event loop has time for. */
const WORK = 20

describe('the transport under TLS', () => {
  let server: net.Server
  let port: number

  before(async () => {
    server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => void server.close())

  /** Both ends of a new connection. */
  async function connected(): Promise<{ client: net.Socket; socket: net.Socket }> {
    const accepted = once(server, 'connection') as Promise<[net.Socket]>
    const client = net.connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {})
    const [socket] = await accepted
    return { client, socket }
  }

  test('hands over a slice where each is much work, and parties take turns', async () => {
    const order: { party: string; turn: number; octets: number }[] = []
    let turn = 0
    let counting = setImmediate(function count() {
      turn += 1
      counting = setImmediate(count)
    })
    const all: { client: net.Socket; transport: TlsTransport }[] = []
    for (const party of ['a', 'a', 'a', 'b']) {
      const { client, socket } = await connected()
      const transport = new TlsTransport(socket, party)
      all.push({ client, transport })
      transport.on('data', ({ length: octets }: Buffer) => {
        order.push({ party, turn, octets })
        for (const until = performance.now() + WORK; performance.now() < until; );
      })
    }
    const ended = all.map(({ transport }) => once(transport, 'end'))
    const [b] = all.splice(3)
    for (const { client } of all) client.end(Buffer.alloc(60_000))
    b!.client.end('from b')
    await Promise.all(ended)
    clearImmediate(counting)
    for (const { client, transport } of [...all, b!]) {
      client.destroy()
      transport.destroy()
    }
    assert.ok(order.every(({ octets }) => octets <= 8 * 1024))
    assert.equal(
      order.reduce((sum, { octets }) => sum + octets, 0),
      3 * 60_000 + 'from b'.length,
    )
    const byTurn = Map.groupBy(order, ({ turn }) => turn)
    assert.ok(Math.max(...[...byTurn.values()].map(({ length }) => length)) <= 2)
    const place = order.findIndex(({ party }) => party === 'b')
    assert.ok(place < order.length / 2, `b came after ${place} of ${order.length}`)
  })

  test('takes no more from its connection than is wanted', async () => {
    const { client, socket } = await connected()
    const transport = new TlsTransport(socket, 'a')
    transport.once('data', () => transport.pause())
    client.write(Buffer.alloc(8 * 1024 * 1024))
    await once(transport, 'pause')
    const next = once(transport, 'data')
    // What is on its way has come when another connection was made and used.
    const { client: other, socket: its } = await connected()
    other.end('x')
    await once(its.resume(), 'data')
    its.destroy()
    assert.ok(socket.bytesRead < 512 * 1024, `${socket.bytesRead} octets were read`)
    transport.resume()
    await next
    client.destroy()
    transport.destroy()
  })

  test('octets that arrived before the other end closed are all handed over, however long that takes', async () => {
    const server = net.createServer((socket) => void socket.on('error', () => {}).end(Buffer.alloc(60_000)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
    await once(socket, 'connect')
    const transport = new TlsTransport(socket, 'a')
    let octets = 0
    let hasEnded = false
    transport.on('data', ({ length }: Buffer) => {
      octets += length
      for (const until = performance.now() + WORK; performance.now() < until; );
    })
    transport.once('end', () => {
      hasEnded = true
    })
    await once(transport, 'close')
    server.close()
    assert.deepEqual([octets, hasEnded], [60_000, true])
  })

  test('a connection that is reset ends it', async () => {
    const { client, socket } = await connected()
    const transport = new TlsTransport(socket, 'a').resume()
    transport.on('error', () => {})
    const closed = new Promise((resolve) => transport.once('close', resolve))
    client.resetAndDestroy()
    await closed
    assert.ok(socket.destroyed)
  })

  describe('with TLS', () => {
    const { cert, key } = selfSigned(['localhost'])
    const secureContext = createSecureContext({ cert, key })

    async function secured(socket: net.Socket): Promise<TLSSocket | null> {
      return await new Promise((resolve) =>
        encrypt(socket, { secureContext, party: 'a', readAhead: 16 * 1024 }, resolve),
      )
    }

    test('both directions and both ends come through, and the addresses of the connection', async () => {
      const { client, socket } = await connected()
      const { remoteAddress, remotePort, localPort } = socket
      const there = tls.connect({ socket: client, rejectUnauthorized: false })
      const here = await secured(socket)
      assert.ok(here)
      assert.deepEqual(
        [here.remoteAddress, here.remotePort, here.localPort],
        [remoteAddress, remotePort, localPort],
      )
      const octets = Buffer.alloc(300_000, 'x')
      here.pipe(here)
      there.end(octets)
      const heard = (await there.toArray()) as Buffer[]
      assert.ok(Buffer.concat(heard).equals(octets))
    })

    test('a handshake that fails ends the connection', async () => {
      const { client, socket } = await connected()
      client.write('GET / HTTP/1.1\r\n\r\n')
      assert.equal(await secured(socket), null)
      assert.ok(socket.destroyed)
      client.destroy()
    })

    test('a record that is none of TLS ends the connection, once the handshake is done', async () => {
      const { client, socket } = await connected()
      const [here] = await Promise.all([secured(socket), TlsRecords.connect(port, client)])
      const closed = new Promise((resolve) => here!.once('close', resolve))
      client.write(Buffer.from([23, 3, 3, 0, 32, ...Buffer.alloc(32)]))
      await closed
      assert.ok(socket.destroyed)
    })

    test('records of one octet and new keys are understood', async () => {
      const { client, socket } = await connected()
      const [here, records] = await Promise.all([secured(socket), TlsRecords.connect(port, client)])
      client.write(Buffer.concat([records.keyUpdates(10), records.data('one octet each', 1)]))
      let heard = ''
      for await (const octets of here!) {
        heard += String(octets)
        if (heard.length >= 'one octet each'.length) break
      }
      assert.equal(heard, 'one octet each')
      client.destroy()
      here!.destroy()
    })
  })
})
