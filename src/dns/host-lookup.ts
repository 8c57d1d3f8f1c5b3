/** Looks up the addresses of a host for a connection over HTTP. */
import { lookup } from 'node:dns/promises'
import type { HostAddress, Resolver } from './resolver.ts'

/** RFC 6761 6.3: no resolver is asked for this name. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i
const LOOPBACK: HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Asks DNS through the resolver; with `hostsFile` also the machine's own table (`/etc/hosts`), for names without an
 * address in DNS. The system's look-up alone would not do: it has only two threads, and a stranger's name servers could
 * hold both. Rejects when DNS does not answer.
 */
export function hostLookup(
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
