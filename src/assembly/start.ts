/** The parts that every step of a start uses. */
import { LogThrottle } from '../common/log-throttle.ts'
import type { MemoryPlan } from '../config/memory-plan.ts'
import type { Settings } from '../config/settings.ts'
import { hostLookup } from '../dns/host-lookup.ts'
import { configuredResolver } from '../dns/resolver.ts'
import type { Logger } from '../log.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Metrics } from '../metrics.ts'
import { Outgoing } from '../network/outgoing.ts'
import { addressGuard } from '../network/private-address.ts'

/** The most connections to one server: as many as attachments may be fetched at once from all servers together. */
const REMOTE_CONNECTIONS = 64

export interface Start {
  settings: Settings
  log: Logger
  metrics: Metrics
  plan: MemoryPlan
  monitor: LoopMonitor
  /** Each started part adds its stop; the last one is stopped first. */
  started: AsyncDisposableStack
  /** Settles as `work` does, or rejects as soon as the start is canceled. */
  unlessStopped<T>(work: Promise<T>): Promise<T>
}

/** Makes requests to servers that strangers name. */
export function openOutgoing({ settings, started }: Start): Outgoing {
  const { dnsServers, dnsValidating, allowPrivateNetworks } = settings
  const outgoing = new Outgoing({
    guard: addressGuard({ allowPrivateNetworks }),
    resolve: hostLookup(configuredResolver({ dnsServers, dnsValidating }), {
      hostsFile: allowPrivateNetworks,
    }),
    connections: REMOTE_CONNECTIONS,
  })
  started.defer(() => outgoing.close())
  return outgoing
}

/** Warns at most once a minute of a fault that is likely to be repeated. */
export function rareWarning(log: Logger, message: string): (error: unknown) => void {
  const faults = new LogThrottle(60_000)
  return (error) => {
    if (faults.due() !== null) log.warn({ err: error }, message)
  }
}

/**
 * Wraps the work of a start that can be stopped: the wrapped promise rejects with the signal's reason as soon as it
 * aborts. The work itself ends when its parts are stopped, or with the process; an unfinished migration is rolled back.
 */
export function stoppable(signal: AbortSignal | undefined): <T>(work: Promise<T>) => Promise<T> {
  if (signal === undefined) return (work) => work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  if (signal.aborted) reject(signal.reason)
  stopped.catch(() => {})
  return (work) => Promise.race([stopped, work])
}
