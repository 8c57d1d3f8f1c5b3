/** The HTTPS server of a policy, which answers wrongly or not at all on request. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { type Issuer, issuedBy } from '../harness/certificate.ts'
import type { HostDeed } from './arrival.ts'
import { policyHostAddress, policyHostName, policyText } from './policy.ts'

/** RFC 8461 3.3 leaves no choice of the port. */
const PORT = 443
const HANG_MS = 12_000

/** Listens for the life of the process. `deed`: asked at each request; null: the right answer. */
export async function startPolicyHost(
  domain: number,
  root: Issuer,
  deed: () => HostDeed | null,
): Promise<void> {
  const server = createServer(issuedBy(root, [policyHostName(domain)]), (_, response) => {
    void answer(response, policyText(domain), deed())
  })
  server.on('tlsClientError', () => {})
  server.listen(PORT, policyHostAddress(domain))
  await once(server, 'listening')
}

async function answer(response: ServerResponse, policy: string, deed: HostDeed | null): Promise<void> {
  const type = { 'content-type': 'text/plain' }
  switch (deed) {
    case null:
      response.writeHead(200, type).end(policy)
      break
    case 'close':
      response.destroy()
      break
    case 'hang':
      await pause(HANG_MS, undefined, { ref: false })
      response.destroy()
      break
    case 'error':
      response.writeHead(500, type).end()
      break
    case 'garbage':
      response.writeHead(200, type).end(policy.replaceAll('mx', 'm\u0000x'))
      break
  }
}
