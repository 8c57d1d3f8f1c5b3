/** Proxies for mail on its way out, as another machine would run them: they connect from an address of their own. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface ProxiedRequest {
  /** As the request names it. */
  address: string
  port: number
  /** The source that a PROXY header names. */
  from: string | null
}

export class TestProxy implements AsyncDisposable {
  readonly requests: ProxiedRequest[] = []
  /** Connections so far. */
  connections = 0
  readonly #server: Server
  readonly #open = new Set<Socket>()

  constructor(serve: (client: Socket, proxy: TestProxy) => Promise<void>) {
    this.#server = createServer((client) => {
      this.connections++
      this.keep(client)
      // A client that hangs up in the middle of a request is no fault of the test.
      serve(client, this).catch(() => client.destroy())
    })
  }

  async listen(host: string, port: number): Promise<this> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  keep(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => {}).on('close', () => this.#open.delete(socket))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
    await closed
  }
}

export interface SocksOptions {
  host?: string
  port?: number
  /** The address that it connects from. */
  from: string
  login?: { user: string; password: string }
  /** The reply to a request (RFC 1928 6); null: it connects. 256: none at all. */
  reply?: (request: ProxiedRequest) => number | null
  /** The greeting of the server leaves in one piece with the reply. */
  inOnePiece?: boolean
}

/** RFC 1928, RFC 1929. */
export function startSocks(options: SocksOptions): Promise<TestProxy> {
  const { host = '127.0.0.1', port = 0, from, login, reply = () => null, inOnePiece } = options
  return new TestProxy(async (client, proxy) => {
    const read = reader(client)
    const [, count] = await read(2)
    const offered = await read(count!)
    const method = login === undefined ? 0 : 2
    client.write(Buffer.from([5, offered.includes(method) ? method : 255]))
    if (!offered.includes(method)) return
    if (login !== undefined) {
      await read(1)
      const user = (await read((await read(1))[0]!)).toString()
      const password = (await read((await read(1))[0]!)).toString()
      const isRight = user === login.user && password === login.password
      client.write(Buffer.from([1, isRight ? 0 : 1]))
      if (!isRight) {
        client.end()
        return
      }
    }
    const [, , , type] = await read(4)
    const address =
      type === 1
        ? [...(await read(4))].join('.')
        : type === 4
          ? (await read(16)).toString('hex')
          : (await read((await read(1))[0]!)).toString()
    const request = { address, port: (await read(2)).readUInt16BE(), from: null }
    proxy.requests.push(request)
    const code = reply(request)
    if (code === 256) return
    if (code !== null) {
      client.end(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
      return
    }
    const server = connect({ host: request.address, port: request.port, localAddress: from })
    proxy.keep(server)
    const opened = await once(server, 'connect').then(
      () => true,
      () => false,
    )
    const answer = Buffer.from([5, opened ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0])
    if (!opened) {
      client.end(answer)
      return
    }
    const first = inOnePiece ? ((await once(server, 'data')) as [Buffer])[0] : Buffer.alloc(0)
    client.write(Buffer.concat([answer, first]))
    join(client, server)
  }).listen(host, port)
}

export interface HeaderProxyOptions {
  host?: string
  port?: number
  /** It ends the connection instead of connecting. */
  fails?: boolean
}

/** Reads a PROXY header of version 2 over IPv4, and connects from the source to the destination that it names. */
export function startHeaderProxy({
  host = '127.0.0.1',
  port = 0,
  fails = false,
}: HeaderProxyOptions = {}): Promise<TestProxy> {
  return new TestProxy(async (client, proxy) => {
    const read = reader(client)
    const head = await read(16)
    if (head.toString('latin1', 0, 14) !== '\r\n\r\n\0\r\nQUIT\n\x21\x11') throw new Error('no header')
    const addresses = await read(head.readUInt16BE(14))
    const request = {
      from: addresses.subarray(0, 4).join('.'),
      address: addresses.subarray(4, 8).join('.'),
      port: addresses.readUInt16BE(10),
    }
    proxy.requests.push(request)
    if (fails) {
      client.end()
      return
    }
    const { address, port, from } = request
    const server = connect({ host: address, port, localAddress: from })
    proxy.keep(server)
    await once(server, 'connect')
    join(client, server)
  }).listen(host, port)
}

/** Reads exactly so many octets at a time. A client sends nothing more before it is answered. */
function reader(socket: Socket): (length: number) => Promise<Buffer> {
  let seen = Buffer.alloc(0)
  return async (length) => {
    while (seen.length < length) {
      const more = socket.read() as Buffer | null
      if (more !== null) seen = Buffer.concat([seen, more])
      else if (socket.readableEnded) throw new Error('the connection ended')
      else await once(socket, 'readable')
    }
    const octets = seen.subarray(0, length)
    seen = seen.subarray(length)
    return octets
  }
}

function join(client: Socket, server: Socket): void {
  client.pipe(server)
  server.pipe(client)
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
}
