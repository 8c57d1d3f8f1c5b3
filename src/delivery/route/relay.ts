import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { RelayRoute } from '../../config/settings.ts'
import type { HostAddress } from '../../dns/resolver.ts'
import { alternate, type Ipv6Reachability, type ServerAddresses } from './addresses.ts'
import type { ProbePauses } from './probe-pauses.ts'
import type { Route, RouteRequest, RouteResult } from './route.ts'
import { RouteState } from './route-state.ts'
import type { Server, ServerTarget } from './server.ts'
import { ServerWalk } from './server-walk.ts'
import { SessionPool } from './session-pool.ts'
import type { WalkLimits } from './walk-limits.ts'

export interface RelayOptions {
  relay: RelayRoute
  /** EHLO name. */
  hostname: string
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
  limits: WalkLimits
  pauses: ProbePauses
}

/**
 * Hands all mail to the one server that the operator named. Its name is looked up as any program would (hosts file
 * included) and may lie in a private network. A failure to talk to it is never a recipient's fault.
 */
export class Relay implements Route {
  readonly #server: Server
  readonly #state: RouteState

  constructor({ relay, hostname, ca, limits, pauses }: RelayOptions) {
    const pool = { idleTimeout: 30_000, maxAge: 10 * 60_000, maxIdle: 500 }
    this.#state = new RouteState('relay', limits, pauses, new SessionPool(pool))
    const { host, port, implicitTls, tls, user, password, auth } = relay
    const credentials = user === null ? null : { user, password: password ?? '', mechanism: auth }
    const target: ServerTarget = {
      host,
      port,
      implicitTls,
      tls,
      tlsSource: 'route',
      credentials,
      helo: hostname,
      ...(ca && { ca }),
    }
    this.#server = {
      target: () => Promise.resolve({ kind: 'target', target }),
      preferredAddress: null,
      addresses: () => relayAddresses(host, this.#state.ipv6),
    }
  }

  deliver(request: RouteRequest): Promise<RouteResult> {
    return new ServerWalk(request, this.#state).visit([this.#server])
  }

  destroy(): void {
    this.#state.pool.destroy()
  }
}

export async function relayAddresses(host: string, ipv6: Ipv6Reachability): Promise<ServerAddresses> {
  if (isIP(host) !== 0) return { kind: 'addresses', addresses: [host] }
  try {
    const found = await lookup(host, { all: true, order: 'verbatim' })
    const addresses = found.map(
      ({ address, family }): HostAddress => ({ address, family: family === 6 ? 6 : 4 }),
    )
    return { kind: 'addresses', addresses: alternate(addresses, ipv6.likely) }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const message = `The name of the relay, ${host}, could not be looked up (${reason})`
    return { kind: 'none', failure: { finding: 'server', enhancedCode: '4.4.3', message } }
  }
}
