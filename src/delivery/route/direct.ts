import { monotonic } from '../../common/clock.ts'
import type { Log } from '../../common/logging.ts'
import type { Resolver } from '../../dns/resolver.ts'
import { parseServer } from '../../email/server-name.ts'
import type { MailGuard } from '../../network/mail-guard.ts'
import { outcomeOfFailure, type RouteFailure } from '../outcome.ts'
import { hostOrder, type MailHosts, mailHosts } from '../path/mail-hosts.ts'
import { connectionSource, type Source } from '../path/source.ts'
import { recipientDomain } from '../recipient-domain.ts'
import { allowedAddresses, reachableAddresses } from './addresses.ts'
import type { ProbePauses } from './probe-pauses.ts'
import type { Route, RouteRequest, RouteResult } from './route.ts'
import { RouteState } from './route-state.ts'
import type { Server } from './server.ts'
import { ServerWalk } from './server-walk.ts'
import { SessionPool } from './session-pool.ts'
import type { HostPolicyLookup } from './tls-policy.ts'
import { countedPolicy } from './tls-sessions.ts'
import type { WalkLimits } from './walk-limits.ts'

interface DirectOptions {
  resolver: Resolver
  guard: Pick<MailGuard, 'current'>
  policies: HostPolicyLookup
  /** EHLO name. */
  hostname: string
  /** The addresses to connect from. */
  source: Pick<Source, 'addresses' | 'proxies'>
  /** Whether a domain whose MX is `hostname` is refused as a loop. */
  refuseOwnName: boolean
  /** Port of the mail hosts. */
  port: number
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
  limits: WalkLimits
  pauses: ProbePauses
  log: Log
}

/** Hands mail to the recipient domain's own mail servers (RFC 5321 5.1). */
export class DirectRoute implements Route {
  readonly #options: DirectOptions
  readonly #state: RouteState

  constructor(options: DirectOptions) {
    this.#options = options
    const pool = { idleTimeout: 30_000, maxAge: 5 * 60_000, maxIdle: 500 }
    this.#state = new RouteState('direct', options.limits, options.pauses, new SessionPool(pool))
  }

  /** All recipients in `request.delivery.recipients` must have the same domain. */
  async deliver(request: RouteRequest): Promise<RouteResult> {
    const domain = recipientDomain(request.delivery.recipients)
    const tooLarge = await beyondSize(request)
    if (tooLarge !== null) {
      request.dialogue.note(tooLarge.message)
      return allFailed(request, tooLarge)
    }
    const found = await this.#hostsOf(domain, request)
    if (found.kind === 'none') {
      request.dialogue.note(found.failure.message)
      return allFailed(request, found.failure)
    }
    const { preferredServer, preferredOnly } = request.delivery
    const preferred = preferredServer === null ? null : parseServer(preferredServer)
    const all = sessionHostFirst(request, hostOrder(found.ranks), found.ranks[0])
    const known = preferred !== null && all.includes(preferred.host)
    const hosts = known ? [preferred.host, ...all.filter((host) => host !== preferred.host)] : all
    // After an uncertain attempt, only the server of that attempt can detect a duplicate (RFC 1047).
    const only = known && preferredOnly
    const servers = (only ? hosts.slice(0, 1) : hosts).map((host, index) =>
      this.#server(host, found.secure === true, request, known && index === 0 ? preferred.address : null),
    )
    // `only` makes refusals temporary, because the domain's other servers may accept the message later.
    const walk = new ServerWalk(request, this.#state, only)
    const result = await walk.visit(servers)
    this.#warnOfRefusedAddresses(domain, walk.failures)
    // A server that must be tried again stays the preferred one even if it could not be reached.
    return { ...result, server: result.server ?? (only ? preferredServer : null) }
  }

  destroy(): void {
    this.#state.pool.destroy()
  }

  /** The hosts that the queue looked up, or those of a new look-up once that answer has expired. */
  async #hostsOf(domain: string, { delivery }: RouteRequest): Promise<MailHosts> {
    const { servers } = delivery.path.site
    if (servers !== null && monotonic() < servers.until) return servers.hosts
    const { resolver, hostname, refuseOwnName } = this.#options
    return await mailHosts(domain, resolver, { ownName: refuseOwnName ? hostname : null })
  }

  #server(
    host: string,
    secure: boolean,
    { delivery }: RouteRequest,
    preferredAddress: string | null,
  ): Server {
    const domain = recipientDomain(delivery.recipients)
    const { site, terms } = delivery.path
    const { mtaSts = null } = site
    const atLeast = terms.tls
    // A TLS report is sent even where TLS fails, and its session is not counted (RFC 8460 3).
    const isReport = delivery.email.tls === 'none'
    const { resolver, guard, policies, hostname, source, port, ca } = this.#options
    return {
      target: async () => {
        const published = isReport ? { secure: false, mtaSts: null } : { secure, mtaSts }
        const policy = await policies({ domain, host, port, ...published, atLeast }, resolver)
        const counted = isReport ? null : () => countedPolicy({ domain, host, mtaSts, policy })
        // RFC 8460 also counts sessions that were not opened because of TLS.
        if (policy.kind === 'none') return { ...policy, counted: policy.source === null ? null : counted }
        const { source: tlsSource, ...demand } = policy.demand
        const target = {
          host,
          port,
          implicitTls: false,
          ...demand,
          tlsSource,
          credentials: null,
          helo: hostname,
        }
        return { kind: 'target', target: { ...target, ...(ca && { ca }) }, counted }
      },
      preferredAddress,
      addresses: async () => {
        const found = await allowedAddresses(host, domain, resolver, await guard.current(), this.#state.ipv6)
        return reachableAddresses(found, host, source)
      },
      ...(source.addresses && { from: (address: string) => connectionSource(source, address) }),
    }
  }

  #warnOfRefusedAddresses(domain: string, failures: RouteFailure[]): void {
    for (const { refusedAddress, message, detail } of failures) {
      if (!refusedAddress) continue
      const hint = 'If that network is yours, POSTROAD_ALLOW_PRIVATE_NETWORKS=true allows it.'
      this.#options.log.warn({ domain }, `${message}: ${detail}. ${hint}`)
    }
  }
}

/**
 * Puts the host of the session that the delivery is to begin on first, if it is one of the best hosts. That host was
 * chosen at random when its session was opened.
 */
function sessionHostFirst({ behind }: RouteRequest, hosts: string[], best: readonly string[] = []): string[] {
  if (behind === undefined || !best.includes(behind.host)) return hosts
  return [behind.host, ...hosts.filter((host) => host !== behind.host)]
}

/**
 * The failure of a message that is larger than the site accepts, so that its servers need not be asked. Null: it is not
 * larger.
 */
async function beyondSize({ delivery, message }: RouteRequest): Promise<RouteFailure | null> {
  const { size } = delivery.path.terms
  if (size === undefined) return null
  // The smallest variant: the session compares a larger one with the server's own limit.
  const { size: octets } = await message({ eightBitMime: true, smtpUtf8: true })
  if (octets <= size) return null
  const sentence = `The site accepts messages of up to ${size} octets, this one has ${octets}`
  return { finding: 'unsuited', enhancedCode: '5.3.4', message: sentence }
}

function allFailed({ delivery }: RouteRequest, failure: RouteFailure): RouteResult {
  return {
    outcomes: delivery.recipients.map(({ position }) => outcomeOfFailure(position, failure)),
    server: null,
    tls: null,
  }
}
