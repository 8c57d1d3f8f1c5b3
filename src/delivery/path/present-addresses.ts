import type { Log } from '../../common/logging.ts'
import type { SourceAddress } from '../../config/settings.ts'
import { isOwnAddress } from '../../network/own-address.ts'

/** Milliseconds between two looks: an address may move to another machine, or come up late. */
const LOOK_MS = 30_000

export interface PresentAddressesParts {
  /** POSTROAD_SOURCE_ADDRESSES. */
  addresses: readonly SourceAddress[]
  /** Called when an address has come or gone. */
  onChange(): void
  log: Log
}

/** Which source addresses this machine has. */
export class PresentAddresses {
  readonly #parts: PresentAddressesParts
  readonly #missing = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: PresentAddressesParts) {
    this.#parts = parts
  }

  isHere(address: string): boolean {
    return !this.#missing.has(address)
  }

  /** Resolves when all addresses have been looked at. */
  async start(): Promise<void> {
    if (this.#parts.addresses.length === 0) return
    await this.#look()
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    const { addresses, onChange, log } = this.#parts
    const present = await Promise.all(addresses.map(({ address }) => isOwnAddress(address)))
    let changed = false
    for (const [index, { address }] of addresses.entries()) {
      if (present[index] === this.isHere(address)) continue
      changed = true
      if (present[index]) {
        this.#missing.delete(address)
        log.info({ address }, `This machine has the source address ${address} now`)
      } else {
        this.#missing.add(address)
        log.error(
          { address },
          `This machine does not have the address ${address} of POSTROAD_SOURCE_ADDRESSES: no mail leaves from it`,
        )
      }
    }
    if (changed) onChange()
  }
}
