import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

/**
 * A way to a server that can be severed: a TCP relay on a port of its own. While it is severed nothing comes through in either
 * direction and nobody is told, as when a cable is pulled; then the connections that were open are gone.
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

  /** From now on every octet is swallowed; a new connection is made and then nothing happens on it. */
  sever(): void {
    this.#severed = 'silently'
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** Every connection is reset, and so is each new one, as by a machine that has come up again or a firewall that forgot them. */
  severByReset(): void {
    this.#severed = 'by-reset'
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy()
  }

  /** Connections open now. */
  get connections(): number {
    return this.#pairs.size
  }

  /** New connections come through again. Those from before find that they have ended. */
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
