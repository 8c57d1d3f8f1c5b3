import type { Log } from '../../common/logging.ts'
import type { SourceAddress } from '../../config/settings.ts'
import { isOwnAddress } from '../../network/own-address.ts'
import { proxyProblem } from '../../network/proxy/probe.ts'

/** Milliseconds between two looks: an address may move to another machine, or come up late. */
const LOOK_MS = 30_000

export interface PresentAddressesParts {
  /** POSTROAD_SOURCE_ADDRESSES. */
  addresses: readonly SourceAddress[]
  /** Called when mail can leave from an address, or can no longer. */
  onChange(): void
  log: Log
}

/** Why no mail leaves from the address here, as a sentence without a final dot; null: it does. */
export async function missingAddress({ address, proxy }: SourceAddress): Promise<string | null> {
  if (proxy !== undefined) return await proxyProblem(proxy, address)
  return (await isOwnAddress(address)) ? null : `This machine does not have the address ${address}`
}

/** Which source addresses mail can leave from: those of this machine, and those behind proxies that answer. */
export class PresentAddresses {
  readonly #parts: PresentAddressesParts
  readonly #missing = new Set<string>()
  readonly #returned: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(parts: PresentAddressesParts) {
    this.#parts = parts
  }

  isHere(address: string): boolean {
    return !this.#missing.has(address)
  }

  /** Calls back when mail can leave again from an address that it could not leave from. */
  onReturn(listener: () => void): void {
    this.#returned.push(listener)
  }

  /** Resolves when all addresses have been looked at. */
  async start(): Promise<void> {
    if (this.#parts.addresses.length === 0) return
    await this.look()
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Looks at all addresses now; a second call joins a look that is under way. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { addresses, onChange, log } = this.#parts
    const absences = await Promise.all(addresses.map(missingAddress))
    let changed = false
    let returned = false
    for (const [index, { address }] of addresses.entries()) {
      const why = absences[index] ?? null
      if ((why === null) === this.isHere(address)) continue
      changed = true
      if (why === null) {
        returned = true
        this.#missing.delete(address)
        log.info({ address }, `Mail leaves from the source address ${address} now`)
      } else {
        this.#missing.add(address)
        log.error(
          { address },
          `No mail leaves from the address ${address} of POSTROAD_SOURCE_ADDRESSES: ${why}`,
        )
      }
    }
    if (changed) onChange()
    if (returned) for (const listener of this.#returned) listener()
  }
}
