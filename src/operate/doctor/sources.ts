/**
 * Whether this machine has its source addresses, and DNS their names in both directions (RFC 5321 4.1.4, RFC 1912 2.1).
 */
import { isOwnAddress } from '../../network/own-address.ts'
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
  const [forward, back] = await Promise.all([hosts.addresses(helo), hosts.names(address)])
  if (forward.kind === 'failed') return unknown(`DNS answers ${forward.reason} for ${helo}.`, AGAIN)
  if (back.kind === 'failed') return unknown(`DNS answers ${back.reason} for the name of ${address}.`, AGAIN)
  const addresses = forward.kind === 'found' ? forward.records.map((record) => record.address) : []
  if (!addresses.includes(address)) {
    const found = addresses.length === 0 ? 'has no address' : `resolves to ${addresses.join(', ')}`
    return problem(
      `${helo} ${found} in DNS, and not to ${address}.`,
      `Add ${address} to the records of ${helo}.`,
    )
  }
  const names = back.kind === 'found' ? back.records : []
  if (!names.includes(helo)) {
    const found = names.length === 0 ? 'has no name in reverse DNS' : `resolves back to ${names.join(', ')}`
    return problem(
      `${helo} resolves to ${address}, but ${address} ${found}.`,
      `Ask the provider of the address to set its reverse DNS (PTR) to ${helo}.`,
    )
  }
  return ok(`${helo} resolves to ${address}, and ${address} back to ${helo}.`)
}

const AGAIN = 'Try again in a minute.'
