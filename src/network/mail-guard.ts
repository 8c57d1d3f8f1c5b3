/**
 * The guard of direct mail. It refuses connections to the machine itself, to the source addresses on other machines,
 * and to the proxies in front of them. A mail server on the proxy's machine may trust the proxy, and would send the
 * mail back.
 */
import { lookup } from 'node:dns/promises'
import { monotonic } from '../common/clock.ts'
import { type AddressGuard, addressGuard } from './private-address.ts'

/** An address that mail leaves from, and the proxy to a machine that has it. */
export interface GuardedSource {
  address: string
  /** `host`: name or address. */
  proxy?: { host: string }
}

interface MailGuardOptions {
  allowPrivateNetworks: boolean
  /** POSTROAD_SOURCE_ADDRESSES. */
  sourceAddresses?: readonly GuardedSource[] | null
}

/** Milliseconds for which the addresses of proxies are cached. */
const LASTS = 60_000

export class MailGuard {
  readonly #options: MailGuardOptions
  /** Addresses by host of a proxy. After a failed look-up, the earlier addresses stay. */
  readonly #proxies = new Map<string, readonly string[]>()
  #guard: AddressGuard | null = null
  #until = Number.NEGATIVE_INFINITY
  #looking: Promise<AddressGuard> | null = null

  constructor(options: MailGuardOptions) {
    this.#options = options
  }

  async current(): Promise<AddressGuard> {
    if (this.#guard !== null && monotonic() < this.#until) return this.#guard
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return await this.#looking
  }

  async #look(): Promise<AddressGuard> {
    const { allowPrivateNetworks } = this.#options
    const sources = this.#options.sourceAddresses ?? []
    const hosts = new Set(sources.flatMap(({ proxy }) => (proxy === undefined ? [] : [proxy.host])))
    if (!allowPrivateNetworks) await Promise.all([...hosts].map((host) => this.#lookUp(host)))
    const sendingAddresses = [...sources.map(({ address }) => address), ...[...this.#proxies.values()].flat()]
    this.#guard = addressGuard({ allowPrivateNetworks, sendingAddresses })
    this.#until = monotonic() + LASTS
    return this.#guard
  }

  /** Looks the proxy up in the same way as a connection to it does. */
  async #lookUp(host: string): Promise<void> {
    const found = await lookup(host, { all: true }).catch(() => null)
    if (found !== null) {
      this.#proxies.set(
        host,
        found.map(({ address }) => address),
      )
    }
  }
}
