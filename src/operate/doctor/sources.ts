/**
 * Whether mail can leave from the source addresses, and DNS has their names in both directions (RFC 5321 4.1.4, RFC
 * 1912 2.1).
 */
import type { SourceAddress } from '../../config/settings.ts'
import { missingAddress } from '../../delivery/path/present-addresses.ts'
import { sourcesOf } from '../../delivery/path/source.ts'
import { proxyName } from '../../network/proxy/proxy.ts'
import { greetingFrom, isReady, PROVIDERS } from '../go-live/receivers.ts'
import { ASK_AGAIN, reverseFault } from '../reverse-dns.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

export function sourceChecks(op: Operation): PlannedCheck[] {
  if (op.setup.delivery.kind !== 'direct') return []
  return (op.setup.sourceAddresses ?? []).map((source, index) => ({
    id: `source:${source.address}`,
    title: `Source address ${source.address}`,
    run: () => result(op, source, PROVIDERS[index % PROVIDERS.length]!),
  }))
}

async function result(op: Operation, source: SourceAddress, provider: string): Promise<CheckFinding> {
  const { address, helo, proxy } = source
  const why = await missingAddress(source)
  if (why !== null) {
    return problem(
      `${why}, so no mail leaves from ${proxy === undefined ? 'it' : address}.`,
      proxy === undefined
        ? 'Add the address to a network interface, or remove it from POSTROAD_SOURCE_ADDRESSES.'
        : 'Check that the proxy runs and accepts this machine, and its host, port, user and password in POSTROAD_SOURCE_ADDRESSES.',
    )
  }
  const hosts = op.hosts()
  const [forward, fault, { best, first }] = await Promise.all([
    hosts.addresses(helo),
    reverseFault(hosts, helo, address),
    greetingFrom(op, sourcesOf([source])[0]!, [provider]),
  ])
  if (best === null && first !== undefined) {
    return problem(
      `No server of ${provider} answers on port ${op.setup.smtpPort} from ${address}: ${first.failure}.`,
      'Check the network of this address, and whether its provider blocks port 25.',
    )
  }
  if (best !== null && !isReady(best.line)) {
    // A server that is busy (RFC 5321 4.2.1) refuses nobody.
    const judged = best.line.startsWith('4') ? warning : problem
    return judged(
      `${best.server} answers to ${address}: ${best.line}.`,
      'The server refuses the address before any mail is sent. Its answer or its operator says why.',
    )
  }
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
  const answer = best === null ? '' : ` ${best.server} answers on port ${op.setup.smtpPort}.`
  return ok(`${helo} resolves to ${address}, and ${address} back to ${helo}.${way}${answer}`)
}
