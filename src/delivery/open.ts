/** Opens the couriers of a node according to its settings. */
import type { AccountDirectory } from '../accounts/directory.ts'
import { BOUNDARIES, type Seal } from '../accounts/seal.ts'
import type { SendingRight } from '../cluster/sending-right.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import type { Log } from '../common/logging.ts'
import type { Settings } from '../config/settings.ts'
import { configuredResolver } from '../dns/resolver.ts'
import { Boundaries } from '../mail/compose/boundary.ts'
import type { TlsSession } from '../mail/domain-report/tls-report.ts'
import { RETURN_PATHS, ReturnPathKey } from '../mail/return-path/return-path.ts'
import type { SendRequest } from '../network/outgoing.ts'
import type { MtaStsStore } from '../store/store.ts'
import type { DeathCause } from '../workers/error.ts'
import type { Workers } from '../workers/workers.ts'
import { prepareLargeInWorker } from './composing.ts'
import { CountedCourier } from './counted-courier.ts'
import type { Courier } from './delivery.ts'
import { IsolatedCourier } from './isolation/isolated-courier.ts'
import { PolicyDirectory } from './mta-sts/policy-directory.ts'
import { PathFinder } from './path/path-finder.ts'
import { PresentAddresses } from './path/present-addresses.ts'
import { SourceChoice } from './path/source-choice.ts'
import { policyFailure } from './route/tls-sessions.ts'
import { RouteCourier } from './route-courier.ts'
import type { SitesFile } from './sites/sites-file.ts'
import type { CourierOptions } from './thread/message.ts'
import { ThreadedCourier } from './thread/threaded-courier.ts'

interface DeliveryParts {
  settings: Settings
  /** Finds the routes of companies and domains. */
  accounts: Pick<AccountDirectory, 'routeFor' | 'pools' | 'poolFor'>
  seal: Seal
  /** The limits of sites. */
  sites: SitesFile
  right: SendingRight
  unrecorded: UnrecordedMessages
  store: MtaStsStore
  /** Requests to servers that strangers name. */
  ask: SendRequest
  /** Compose large messages. */
  workers: Workers
  /** Deliveries that may wait in memory. */
  maxDeliveries: number
  /** Gets what counts in reports to recipients' domains, apart from the sessions of deliveries. */
  onTlsSessions(sessions: readonly TlsSession[]): void
  /** Called when the isolated process died of a delivery. */
  onDeath(cause: DeathCause): void
  log: Log
}

interface OpenDelivery {
  courier: Courier
  /** Takes deliveries that are suspected of taking a process down. */
  isolated: Courier
  paths: PathFinder
  /** Has to be started before mail leaves, and stopped. */
  present: PresentAddresses
  /** The names of the sources that mail can leave from now. */
  sources(): string[]
}

export function openDelivery(parts: DeliveryParts): OpenDelivery {
  const { settings, accounts, seal, sites, right, unrecorded, log, onDeath, onTlsSessions, maxDeliveries } =
    parts
  const options = courierOptions(parts)
  const { dnsServers, dnsValidating } = settings
  const resolver = configuredResolver({ dnsServers, dnsValidating })
  const policies = new PolicyDirectory({
    ...parts,
    resolver,
    onFailure: (domain, error) => {
      log.warn({ domain }, `Could not fetch the MTA-STS policy of a domain: ${error.message}`)
      onTlsSessions([policyFailure(domain, error)])
    },
  })
  const { sourceAddresses: addresses, hostname } = settings
  const present = new PresentAddresses({
    addresses: addresses ?? [],
    onChange: () => sources.forget(),
    log,
  })
  const sources = new SourceChoice({
    addresses,
    hostname,
    pools: () => accounts.pools(),
    poolOf: (mail) => accounts.poolFor(mail),
    isHere: (address) => present.isHere(address),
  })
  const isolated = new IsolatedCourier({ process: options, right, log, onDeath })
  return {
    courier: openCourier(parts, options),
    isolated: new CountedCourier(isolated, unrecorded, right),
    present,
    sources: () => sources.present(),
    paths: new PathFinder({
      ...settings,
      route: settings.delivery,
      resolver,
      sites,
      maxDeliveries,
      sources,
      mtaSts: (domain) => policies.find(domain),
      ownRoute: (sender) => accounts.routeFor(sender),
      seal,
    }),
  }
}

/** Couriers in other threads and processes use the same settings. */
function courierOptions({ settings, seal }: DeliveryParts): CourierOptions {
  const { dnsServers, dnsValidating, smtpPort, allowPrivateNetworks, softBounce, retrySchedule } = settings
  return {
    dnsServers,
    dnsValidating,
    smtpPort,
    allowPrivateNetworks,
    sourceAddresses: (settings.sourceAddresses ?? []).map(({ address, proxy }) => ({
      address,
      ...(proxy && { proxy: { host: proxy.host } }),
    })),
    softBounce,
    retrySchedule,
    boundarySecret: seal.derive(BOUNDARIES),
    returnPathSecret: seal.derive(RETURN_PATHS),
  }
}

function openCourier(
  { settings, right, unrecorded, workers, log }: DeliveryParts,
  options: CourierOptions,
): Courier {
  const { boundarySecret, returnPathSecret, dnsServers, dnsValidating, ...others } = options
  const boundaries = new Boundaries(boundarySecret)
  const elsewhere = prepareLargeInWorker(workers, boundaries)
  const { deliveryThreads } = settings
  if (deliveryThreads > 0) {
    const memory = { right: right.shared, unrecorded: unrecorded.shared }
    return new ThreadedCourier(deliveryThreads, { ...options, ...memory }, log, elsewhere)
  }
  const resolver = configuredResolver({ dnsServers, dnsValidating })
  const returnPaths = new ReturnPathKey(returnPathSecret)
  return new RouteCourier({ ...others, boundaries, returnPaths, right, unrecorded, resolver, log, elsewhere })
}
