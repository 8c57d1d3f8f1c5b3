/** The parts of the service that the pipeline works with. */
import type { AccountDirectory } from '../accounts/directory.ts'
import type { NodeMembership } from '../cluster/membership.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import type { Log } from '../common/logging.ts'
import type { Courier, DeliveryResult } from '../delivery/delivery.ts'
import type { PathFinder } from '../delivery/path/path-finder.ts'
import type { PresentAddresses } from '../delivery/path/present-addresses.ts'
import type { SigningKeys } from '../delivery/signing-keys.ts'
import type { FullMailboxRule } from '../email/lifecycle.ts'
import type { LinkTokens } from '../email/mailed-links.ts'
import type { UnsubscribeLinks } from '../email/unsubscribe-link.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { Metrics } from '../metrics.ts'
import type { Store } from '../store/store.ts'
import type { ReadyLimits } from './ready-queues.ts'
import type { RetrySchedule } from './retry-schedule.ts'

export interface PipelineParts {
  store: Store
  courier: Courier
  /** Delivers suspect mail where it can take nothing else down. */
  isolated: Courier
  /** This node's membership in the cluster. It starts before the queue and leaves after it. */
  membership: NodeMembership
  /** The places of unrecorded deliveries. */
  unrecorded: Pick<UnrecordedMessages, 'recorded' | 'held'>
  accounts: Pick<
    AccountDirectory,
    'domain' | 'domainsOf' | 'company' | 'signingDomain' | 'isRemoved' | 'pools'
  >
  signingKeys: SigningKeys
  /** Null: recipients have no way to reach the service. */
  links: UnsubscribeLinks | null
  /** Makes the tokens of links in mail of the service. Null: mail is captured, and others read it. */
  linkTokens: LinkTokens | null
  retrySchedule: RetrySchedule
  /** Null: full mailboxes suppress no address. */
  fullMailbox: FullMailboxRule | null
  /** POSTROAD_WARM_UP; absent: addresses do not warm up. */
  warmUp?: readonly number[]
  paths: Pick<PathFinder, 'findCached' | 'findKnown' | 'everyKnown' | 'find' | 'domainsOf'>
  /** The addresses that mail can leave from; absent: all. */
  present?: Pick<PresentAddresses, 'look' | 'onReturn'>
  limits: ReadyLimits
  monitor: Pick<LoopMonitor, 'on'>
  /** Gets the sessions that count in reports to recipients' domains. */
  onTlsSessions(sessions: NonNullable<DeliveryResult['tlsSessions']>): void
  metrics: Metrics
  log: Log
}
