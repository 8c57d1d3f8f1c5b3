/** The host of MTA-STS policies (RFC 8461 3.3), at port 443 of an address in 127.0.0.0/8. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { Certificate } from '../../harness/certificate.ts'

/** For this mail server. */
export function policyFor(mx: string, mode: 'enforce' | 'testing' = 'enforce'): string {
  return ['version: STSv1', `mode: ${mode}`, `mx: ${mx}`, 'max_age: 604800', ''].join('\n')
}

export class PolicyHost implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** `policies`: by recipient domain. Rejects where the port cannot be listened on. */
  static async start(
    host: string,
    certificate: Certificate,
    policies: Readonly<Record<string, string>>,
  ): Promise<PolicyHost> {
    const server = createServer(certificate, ({ headers }, response) => {
      const policy = policies[headers.host?.replace(/^mta-sts\./, '') ?? '']
      if (policy === undefined) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(policy)
    })
    server.listen(443, host)
    await once(server, 'listening')
    return new PolicyHost(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
