import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/**
 * A way to a server that can be severed: a TCP relay on a port of its own. While it is severed, nothing passes in either
 * direction and neither side is notified, as when a cable is pulled. Afterwards, the connections that were open are gone.
 */
export class SeverableWay implements AsyncDisposable {
  readonly #server: net.Server
  readonly #pairs = new Set<[Socket, Socket]>()
  #severed: 'silently' | 'by-reset' | null = null

  private constructor(server: net.Server) {
    this.#server = server
  }

  static async to(host: string, port: number): Promise<SeverableWay> {
    const server = net.createServer({ pauseOnConnect: true })
    const way = new SeverableWay(server)
    server.on('connection', (near) => way.#join(near, net.connect({ host, port })))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return way
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Drops every octet from now on. New connections are accepted, and stay silent. */
  sever(): void {
    this.#severed = 'silently'
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** Resets every connection, new ones included, as a restarted machine does, or a firewall that has lost its state. */
  severByReset(): void {
    this.#severed = 'by-reset'
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy()
  }

  /** Connections open now. */
  get connections(): number {
    return this.#pairs.size
  }

  /** Lets new connections pass again. The earlier ones have ended. */
  mend(): void {
    this.#severed = null
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mend()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, far: Socket): void {
    const pair: [Socket, Socket] = [near, far]
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true)
      from.on('data', (octets) => {
        if (!to.write(octets)) from.pause()
      })
      to.on('drain', () => {
        if (this.#severed === null) from.resume()
      })
      from.on('error', () => {})
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
    if (this.#severed === 'by-reset') for (const socket of pair) socket.resetAndDestroy()
    else if (this.#severed === 'silently') for (const socket of pair) socket.pause()
    else for (const socket of pair) socket.resume()
  }
}
