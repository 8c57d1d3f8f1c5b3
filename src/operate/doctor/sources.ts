/**
 * Whether mail can leave from the source addresses, and DNS has their names in both directions (RFC 5321 4.1.4, RFC
 * 1912 2.1).
 */
import type { SourceAddress } from '../../config/settings.ts'
import { absence } from '../../delivery/path/present-addresses.ts'
import { proxyName } from '../../network/proxy/proxy.ts'
import { ASK_AGAIN, reverseFault } from '../reverse-dns.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown } from './check.ts'

export function sourceChecks(op: Operation): PlannedCheck[] {
  if (op.setup.delivery.kind !== 'direct') return []
  return (op.setup.sourceAddresses ?? []).map((source) => ({
    id: `source:${source.address}`,
    title: `Source address ${source.address}`,
    run: () => result(op, source),
  }))
}

async function result(op: Operation, source: SourceAddress): Promise<CheckFinding> {
  const { address, helo, proxy } = source
  const why = await absence(source)
  if (why !== null) {
    return problem(
      `${why}, so no mail leaves from ${proxy === undefined ? 'it' : address}.`,
      proxy === undefined
        ? 'Add the address to a network interface, or remove it from POSTROAD_SOURCE_ADDRESSES.'
        : 'Check that the proxy runs and accepts this machine, and its host, port, user and password in POSTROAD_SOURCE_ADDRESSES.',
    )
  }
  const hosts = op.hosts()
  const [forward, fault] = await Promise.all([hosts.addresses(helo), reverseFault(hosts, helo, address)])
  if (forward.kind === 'failed') return unknown(`DNS answers ${forward.reason} for ${helo}.`, ASK_AGAIN)
  if (fault?.state === 'unknown') return unknown(fault.found, fault.advice)
  const addresses = forward.kind === 'found' ? forward.records.map((record) => record.address) : []
  if (!addresses.includes(address)) {
    const found = addresses.length === 0 ? 'has no address' : `resolves to ${addresses.join(', ')}`
    return problem(
      `${helo} ${found} in DNS, and not to ${address}.`,
      `Add ${address} to the records of ${helo}.`,
    )
  }
  if (fault !== null) return problem(fault.found, fault.advice)
  const way = proxy === undefined ? '' : ` The proxy ${proxyName(proxy)} answers.`
  return ok(`${helo} resolves to ${address}, and ${address} back to ${helo}.${way}`)
}
