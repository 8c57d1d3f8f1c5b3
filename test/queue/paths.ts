/** Paths, and what waits for them, for the tests of the queue. */

import type { DeliveryResult } from '../../src/delivery/delivery.ts'
import { DEFAULT_ROUTE, type Path, type PathLimits, pathOf, type Site } from '../../src/delivery/path/path.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { Evidence } from '../../src/queue/evidence.ts'
import type { DeliveryNode } from '../../src/queue/node-shares.ts'
import type { PathHealth } from '../../src/queue/path-health.ts'
import type { ClaimedEmail } from '../../src/store/store.ts'

/** Of direct mail to a site of this name, unless said otherwise. */
export function pathTo(
  name: string,
  { kind = 'direct', ...limits }: Partial<PathLimits> & { kind?: Site['kind'] } = {},
): Path {
  return pathOf({
    source: { name: 'default', helo: 'out.acme.test' },
    site: { name, key: name, kind, servers: null, provider: null },
    policy: { id: DEFAULT_ROUTE, route: { kind: 'direct' }, firstAlone: false },
    limits: { sessions: 3, waiting: 100, messagesPerMinute: null, messagesPerHour: null, ...limits },
    terms: {
      messagesPerSession: 100,
      recipientsPerTransaction: 100,
      tls: 'opportunistic',
      envelopeBehindDot: true,
      replies: [],
    },
  })
}

/** Nodes that deliver, by their tokens. */
export function nodes(...tokens: number[]): DeliveryNode[] {
  return tokens.map((token) => ({ token }))
}

let emails = 0

/** Of this company along this path; of another email each time. */
export function readyFor(companyId: string, path: Path, changes: Partial<ReadyDelivery> = {}): ReadyDelivery {
  return {
    email: { id: String(++emails), companyId, domainId: 'd' } as ClaimedEmail,
    recipients: [],
    path,
    leaseToken: 1,
    preferredServer: null,
    preferredOnly: false,
    suspicion: 0,
    size: 1,
    messageSize: 1,
    ...changes,
  }
}

const evidences = new WeakMap<PathHealth, Evidence>()

/** Reports the end of an attempt and its evidence. */
export function ended(
  health: PathHealth,
  ready: ReadyDelivery,
  result: DeliveryResult,
  exhausted: boolean,
  now: number,
  evidence = evidences.get(health) ?? new Evidence(),
): number | null {
  evidences.set(health, evidence)
  return health.ended(ready, result, evidence.weigh(ready, result), exhausted, now)
}
