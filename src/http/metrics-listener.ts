import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Log } from '../common/logging.ts'
import type { HostPort } from '../config/settings.ts'
import { cannotListen } from '../ingress/start-error.ts'
import { createServer } from './node-http.ts'

/** Serves `/metrics` on its own listener, so that the operator can keep it inside a network. */
export class MetricsListener {
  readonly #at: HostPort
  readonly #server: Server

  constructor(at: HostPort, registry: Registry, log: Pick<Log, 'error'>) {
    this.#at = at
    this.#server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
      if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('The path is /metrics\n')
        return
      }
      registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        (err: unknown) => {
          log.error({ err }, 'could not read the metrics')
          response
            .writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
            .end('Internal Server Error\n')
        },
      )
    })
  }

  /** Returns the address it listens on. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(error, 'POSTROAD_METRICS_LISTEN', this.#at)))
      this.#server.listen(this.#at.port, this.#at.host, () => {
        const { address, port, family } = this.#server.address() as AddressInfo
        resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`)
      })
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}
