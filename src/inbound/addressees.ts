/** The addresses that the listener for returned mail takes mail for; it relays nothing. */
import type { AccountDirectory } from '../accounts/directory.ts'
import { returnPathOf } from '../accounts/return-path.ts'
import { isReportsAddress } from '../mail/domain-report/report-address.ts'
import { type ReturnPathKey, readReturnPath, returnPathId } from '../mail/return-path/return-path.ts'

/** Local parts at the hosts of return paths that people read (RFC 2142 4, RFC 5321 4.5.1). */
const ROLES = new Set(['abuse', 'postmaster', 'fbl'])

/** Why mail for an address is refused, for the log. */
export type AddresseeRefusal = 'unknown' | 'forged' | 'expired'

export class Addressees {
  readonly #key: ReturnPathKey
  readonly #directory: Pick<AccountDirectory, 'snapshot'>
  readonly #hostname: string
  #hosts: { of: unknown; names: ReadonlySet<string> } = { of: null, names: new Set() }

  /** `hostname`: that of the service, whose postmaster is reached here, too. */
  constructor(key: ReturnPathKey, directory: Pick<AccountDirectory, 'snapshot'>, hostname: string) {
    this.#key = key
    this.#directory = directory
    this.#hostname = hostname.toLowerCase()
  }

  /**
   * A return path names its email at whatever host: the domain may have another return-path host by now. `now` in Unix
   * ms.
   */
  refusalOf(address: string, now: number): AddresseeRefusal | null {
    const returnPath = readReturnPath(this.#key, address, now)
    if (returnPath === 'forged' || returnPath === 'expired') return returnPath
    if (returnPath !== null) return null
    const at = address.lastIndexOf('@')
    const local = address.slice(0, Math.max(at, 0)).toLowerCase()
    const host = address.slice(at + 1).toLowerCase()
    // RFC 5321 4.5.1: the postmaster is reached without a domain.
    if (at < 0) return host === 'postmaster' ? null : 'unknown'
    if (!ROLES.has(local) && !isReportsAddress(address)) return 'unknown'
    return host === this.#hostname || this.#returnPathHosts().has(host) ? null : 'unknown'
  }

  /**
   * One address for each return path and each role: host and case do not matter. Otherwise a message with 20 spellings
   * of one address would cost as much as 20 messages.
   */
  distinct(addresses: ReadonlySet<string>, now: number): string[] {
    if (addresses.size === 1) return [...addresses]
    const byPurpose = new Map<string, string>()
    for (const address of addresses) {
      const returnPath = readReturnPath(this.#key, address, now)
      const isReturnPath = returnPath !== null && typeof returnPath === 'object'
      const purpose = isReturnPath ? returnPathId(returnPath) : roleOf(address)
      if (!byPurpose.has(purpose)) byPurpose.set(purpose, address)
    }
    return [...byPurpose.values()]
  }

  /** Rebuilt when accounts have changed. */
  #returnPathHosts(): ReadonlySet<string> {
    const { snapshot } = this.#directory
    if (this.#hosts.of !== snapshot) {
      this.#hosts = {
        of: snapshot,
        names: new Set(snapshot.domains.flatMap((each) => returnPathOf(each) ?? [])),
      }
    }
    return this.#hosts.names
  }
}

function roleOf(address: string): string {
  // RFC 5321 4.5.1 allows a bare `postmaster`.
  return isReportsAddress(address) ? 'reports' : address.replace(/@[^@]*$/, '').toLowerCase()
}
