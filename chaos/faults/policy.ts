/** Policy hosts that come and go, and attackers who hide a policy, name other mail servers, or take STARTTLS away. */
import type { HostDeed } from '../arrival.ts'
import { HOST_DEEDS } from '../arrival.ts'
import { announcement, POLICY_DOMAINS } from '../policy.ts'
import { SERVERS } from '../servers.ts'
import type { FaultMaker, Stage } from '../stage.ts'

export function policyFaults(stage: Stage): FaultMaker[] {
  const { random, log, sink } = stage
  const struck = new Set<number>()

  /** Undoes itself when the function that is returned is called. */
  const begin = (domain: number, how: 'host' | 'hide' | 'divert' | 'strip', id: number): (() => void) => {
    switch (how) {
      case 'host': {
        const deed: HostDeed = random.pick(HOST_DEEDS)
        sink.policyHost(domain, deed)
        return () => sink.policyHost(domain, null)
      }
      case 'hide': {
        const names = [announcement(domain)]
        sink.dns(names, random.pick(['servfail', 'silent', 'absent'] as const))
        return () => sink.dns(names, 'right')
      }
      case 'divert': {
        const names = [`in${domain}.test/MX`]
        sink.dns(names, 'diverted')
        return () => sink.dns(names, 'right')
      }
      case 'strip': {
        const servers = SERVERS.filter((server) => server.domain === domain).map(({ index }) => index)
        sink.rule({ id, step: 'ehlo', deed: 'no-starttls', servers, share: 1 })
        return () => sink.endRule(id)
      }
    }
  }

  const strike = async () => {
    const domain = random.pick(POLICY_DOMAINS)
    if (struck.has(domain)) return
    struck.add(domain)
    const how = random.pick(['host', 'hide', 'divert', 'strip'] as const)
    const fault = log.begin('policy', [], `${how} for domain ${domain}`)
    const undo = begin(domain, how, fault.id)
    // Whether the service asks meanwhile is known only of the mail servers.
    if (how !== 'strip') fault.hits = 1
    await stage.wait(random.between(1_000, 8_000))
    undo()
    log.end(fault)
    struck.delete(domain)
  }

  return [{ kind: 'policy', weight: 4, strike }]
}
