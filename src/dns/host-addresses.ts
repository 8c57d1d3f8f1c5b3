/** The addresses of a host that is connected to over HTTP. */
import { lookup } from 'node:dns/promises'
import type { HostAddress, Resolver } from './resolver.ts'

/** RFC 6761 6.3: no resolver is asked for it. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i
const LOOPBACK: HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Asks the DNS by the resolver; with `hostsFile` also what the machine itself knows (`/etc/hosts`), for names that the
 * DNS has no address of. The system's own look-up alone would not do: two of its threads are all there are, and a
 * stranger's name servers could hold both. Rejects when the DNS does not answer.
 */
export function hostAddresses(
  resolver: Pick<Resolver, 'addresses'>,
  { hostsFile }: { hostsFile: boolean },
): (name: string) => Promise<HostAddress[]> {
  return async (name) => {
    if (LOCALHOST.test(name)) return LOOPBACK
    const found = await resolver.addresses(name)
    if (found.kind === 'found') return found.records
    if (found.kind === 'failed') throw new Error(`The DNS says ${found.reason} for ${name}`)
    if (!hostsFile) return []
    const known = await lookup(name, { all: true }).catch(() => [])
    return known.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
  }
}
