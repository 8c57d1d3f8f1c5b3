import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { startDns } from '../../harness/dns.ts'
import { hostLookup } from '../../src/dns/host-lookup.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import {
  type NoAnswer,
  NotAUrl,
  Outgoing,
  type OutgoingRequest,
  outgoingUrl,
} from '../../src/network/outgoing.ts'
import { type AddressGuard, addressGuard } from '../../src/network/private-address.ts'

const PUBLIC_ONLY = addressGuard({ allowPrivateNetworks: false })
const ANYWHERE = addressGuard({ allowPrivateNetworks: true })

const dns = await startDns({})
after(() => dns.close())

function outgoing(guard: AddressGuard): Outgoing {
  const resolver = new Resolver({ servers: [dns.address], timeout: 200, tries: 1, cacheSize: 0 })
  const client = new Outgoing({
    guard,
    resolve: hostLookup(resolver, { hostsFile: false }),
    connections: 4,
  })
  after(() => client.close())
  return client
}

const ask = (client: Outgoing, url: string, more: Partial<OutgoingRequest> = {}) =>
  client.ask({ method: 'GET', url: new URL(url), headers: {}, timeoutMs: 5_000, maxOctets: 1_024, ...more })

/** A server on 127.0.0.1, and how many connections it has had. */
async function listening<S extends Server>(server: S): Promise<{ port: number; connections: () => number }> {
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const fails = (kind: NoAnswer['kind'], message: RegExp) => (error: unknown) => {
  assert.equal((error as NoAnswer).kind, kind, String(error))
  assert.match((error as NoAnswer).message, message)
  return true
}

test('an answer comes with its status, header and body', async () => {
  const { port } = await listening(
    createServer(async (request, response) => {
      const parts = await request.toArray()
      response.writeHead(201, { 'x-asked': request.headers['x-ask'] ?? '' }).end(Buffer.concat(parts))
    }),
  )
  const answer = await ask(outgoing(ANYWHERE), `http://127.0.0.1:${port}/hook?a=b`, {
    method: 'POST',
    headers: { 'x-ask': 'yes' },
    body: 'hello',
  })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers['x-asked'], 'yes')
  assert.equal(answer.body.toString(), 'hello')
  assert.equal(answer.complete, true)
})

test('no connection is made to an address that is not public, however it is written', async () => {
  const { port, connections } = await listening(createServer((_, response) => response.end()))
  dns.zone = {
    'inside.x.test/A': ['127.0.0.1'],
    'both.x.test/A': ['10.0.0.1', '127.0.0.1'],
    'six.x.test/AAAA': ['::ffff:127.0.0.1'],
    'alias.x.test/A': { values: ['127.0.0.1'], cname: 'inside.x.test' },
  }
  const client = outgoing(PUBLIC_ONLY)
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'],
    ...['[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '169.254.169.254', '100.64.0.1'],
    ...[
      'localhost',
      'LOCALHOST.',
      'a.localhost',
      'inside.x.test',
      'both.x.test',
      'six.x.test',
      'alias.x.test',
    ],
  ]
  for (const host of hosts) {
    await assert.rejects(
      ask(client, `http://${host}:${port}/`),
      fails('refused', /public address|machine itself/),
      host,
    )
  }
  assert.equal(connections(), 0)
})

test('a name that leads elsewhere at the next connection is looked at again', async () => {
  const { port, connections } = await listening(createServer((_, response) => response.end()))
  const client = outgoing((ip) => (ip === '127.0.0.1' ? null : `${ip} is not public`))
  dns.zone = { 'rebound.x.test/A': { values: ['127.0.0.1'], ttl: 0 } }
  const closing = { headers: { connection: 'close' } }
  const first = await ask(client, `http://rebound.x.test:${port}/`, closing)
  assert.equal(first.status, 200)
  dns.zone = { 'rebound.x.test/A': { values: ['127.0.0.2'], ttl: 0 } }
  const again = ask(client, `http://rebound.x.test:${port}/`, closing)
  await assert.rejects(again, fails('refused', /rebound\.x\.test has no public address/))
  assert.equal(connections(), 1)
})

test('a redirect is given back, not followed', async () => {
  const { port, connections } = await listening(
    createServer((_, response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/2` }).end()),
  )
  const answer = await ask(outgoing(ANYWHERE), `http://127.0.0.1:${port}/`)
  assert.equal(answer.status, 307)
  assert.equal(answer.headers.location, `http://127.0.0.1:${port}/2`)
  assert.equal(connections(), 1)
})

test('an answer without end is read as far as it is wanted, and its connection ended', async () => {
  const closed = Promise.withResolvers<void>()
  const { port } = await listening(
    createServer((_, response) => {
      response.on('close', closed.resolve)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(10_000, 'x')));
      }
      response.on('drain', more)
      more()
    }),
  )
  const answer = await ask(outgoing(ANYWHERE), `http://127.0.0.1:${port}/`, { maxOctets: 1_000 })
  assert.equal(answer.body.toString(), 'x'.repeat(1_000))
  assert.equal(answer.complete, false)
  await closed.promise
})

test('a slow server is given up when the time is over, at any step', async () => {
  const sockets: Socket[] = []
  const tcp = createTcpServer((socket) => sockets.push(socket.on('error', () => {})))
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    tcp.close()
  })
  const silent = (tcp.address() as AddressInfo).port
  const { port: trickling } = await listening(
    createServer((_, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    }),
  )
  const client = outgoing(ANYWHERE)
  for (const url of [
    `http://127.0.0.1:${silent}/`,
    `https://127.0.0.1:${silent}/`,
    `http://127.0.0.1:${trickling}/`,
  ]) {
    await assert.rejects(
      ask(client, url, { timeoutMs: 300 }),
      fails('late', /did not answer within 0\.3 seconds/),
      url,
    )
  }
  const stop = new AbortController()
  const asked = ask(client, `http://127.0.0.1:${trickling}/`, { signal: stop.signal })
  stop.abort()
  await assert.rejects(asked, fails('stopped', /request was canceled/))
})

/** Writes what `piece` gives, again and again, as fast as the other side takes it. */
function flooding(head: string, piece: string) {
  return createTcpServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('error', () => {}).on('drain', more)
    socket.once('data', () => {
      socket.write(head)
      more()
    })
  })
}

test('an answer that costs more than its octets is not read to its end', async () => {
  const ok = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const floods: [server: ReturnType<typeof createTcpServer>, message: RegExp][] = [
    [flooding(ok, '1\r\nx\r\n'.repeat(10_000)), /in too many pieces/],
    [flooding(ok, `20\r\n${'x'.repeat(32)}\r\n`.repeat(2_000)), /in too many pieces/],
    [flooding('', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(1_000)), /only interim answers/],
    [flooding('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(1_000)), /header that is too large/],
    [flooding(`${ok}0\r\n`, 'a: b\r\n'.repeat(1_000)), /header that is too large/],
  ]
  const client = outgoing(ANYWHERE)
  for (const [server, message] of floods) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const asked = ask(client, `http://127.0.0.1:${port}/`, { timeoutMs: 60_000, maxOctets: 100_000_000 })
    await assert.rejects(asked, fails('broken', message))
    server.close()
    await once(server, 'close')
  }
})

test('an answer in small pieces is put together', async () => {
  const text = Array.from({ length: 5_000 }, (_, index) => `${index},`)
  const { port } = await listening(
    createServer((_, response) => {
      for (const piece of text) response.write(piece)
      response.end()
    }),
  )
  const { body } = await ask(outgoing(ANYWHERE), `http://127.0.0.1:${port}/`, { maxOctets: 100_000 })
  assert.equal(body.toString(), text.join(''))
})

test('the error names the cause that prevented an answer', async () => {
  const { cert, key } = selfSigned(['127.0.0.1'])
  const { port: tls } = await listening(createTlsServer({ cert, key }, (_, response) => response.end()))
  const { port: cutting } = await listening(createServer((request) => void request.socket.destroy()))
  const { port: large } = await listening(
    createServer((_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end()),
  )
  dns.zone = { 'silent.x.test/A': { silent: true }, 'empty.x.test/MX': ['10 a.test'] }
  const client = outgoing(ANYWHERE)
  await assert.rejects(ask(client, `https://127.0.0.1:${tls}/`), fails('broken', /self-signed certificate/))
  await assert.rejects(ask(client, `http://127.0.0.1:${cutting}/`), fails('broken', /closed the connection/))
  await assert.rejects(ask(client, `http://127.0.0.1:${large}/`), fails('broken', /header that is too large/))
  await assert.rejects(ask(client, 'http://127.0.0.1:1/'), fails('unreachable', /refused the connection/))
  await assert.rejects(ask(client, 'http://empty.x.test/'), fails('unreachable', /has no address in DNS/))
  await assert.rejects(ask(client, 'http://silent.x.test/'), fails('unreachable', /could not be looked up/))
})

test('only http and https URLs are taken, without secrets and odd ports', () => {
  assert.equal(outgoingUrl('https://Example.com/a?b=c#d').href, 'https://example.com/a?b=c')
  assert.equal(outgoingUrl('http://example.com:8080').href, 'http://example.com:8080/')
  const refused: Record<string, RegExp> = {
    'example.com/hook': /not a URL/,
    'ftp://example.com/': /neither/,
    'file:///etc/passwd': /neither/,
    'https://user@example.com/': /user name or password/,
    'https://:secret@example.com/': /user name or password/,
    'http://example.com:25/': /port 25/,
    'https://exam\nple.com/': /space or a control/,
    ' https://example.com/': /space or a control/,
    'https://': /not a URL/,
    [`https://example.com/${'x'.repeat(2_048)}`]: /more than 2048/,
  }
  for (const [text, message] of Object.entries(refused)) {
    assert.throws(
      () => outgoingUrl(text),
      (error) => error instanceof NotAUrl && message.test(error.message),
      text,
    )
  }
})
