/**
 * Whether this machine has its source addresses, and DNS their names in both directions (RFC 5321 4.1.4, RFC 1912 2.1).
 */
import { isOwnAddress } from '../../network/own-address.ts'
import { ASK_AGAIN, reverseFault } from '../reverse-dns.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown } from './check.ts'

export function sourceChecks(op: Operation): PlannedCheck[] {
  if (op.setup.delivery.kind !== 'direct') return []
  return (op.setup.sourceAddresses ?? []).map(({ address, helo }) => ({
    id: `source:${address}`,
    title: `Source address ${address}`,
    run: () => result(op, address, helo),
  }))
}

async function result(op: Operation, address: string, helo: string): Promise<CheckFinding> {
  if (!(await isOwnAddress(address))) {
    return problem(
      `This machine does not have the address ${address}, so no mail leaves from it.`,
      'Add the address to a network interface, or remove it from POSTROAD_SOURCE_ADDRESSES.',
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
  return ok(`${helo} resolves to ${address}, and ${address} back to ${helo}.`)
}
