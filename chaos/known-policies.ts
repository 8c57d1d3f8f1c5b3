/** Whether every node that delivers knows the policies: only from then on nothing may leave without them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Arrival } from './arrival.ts'
import type { ChaosNode } from './node.ts'
import { POLICY_DOMAINS } from './policy.ts'
import { SERVERS } from './servers.ts'

export class KnownPolicies {
  readonly #wanted: Set<string>

  constructor(nodes: readonly ChaosNode[]) {
    const delivering = nodes.filter(({ roles }) => roles.includes('delivery'))
    this.#wanted = new Set(
      delivering.flatMap(({ name }) => POLICY_DOMAINS.map((domain) => `${name} ${domain}`)),
    )
  }

  /** A message for a domain with a policy leaves when the policy has been kept. */
  arrived({ helo, server }: Arrival): void {
    this.#wanted.delete(`${helo.split('-')[0]} ${SERVERS[server]!.domain}`)
  }

  /** False: not within so many ms. */
  async known(ms: number): Promise<boolean> {
    for (const giveUp = performance.now() + ms; this.#wanted.size > 0; await pause(100)) {
      if (performance.now() > giveUp) return false
    }
    return true
  }
}
