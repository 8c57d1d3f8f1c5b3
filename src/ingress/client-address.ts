/** The address that a request comes from: the other end of the connection, or the one that a trusted proxy states. */
import type { IncomingMessage } from 'node:http'
import { AddressRanges, canonicalAddress } from '../network/address-range.ts'

/** `203.0.113.7`, `203.0.113.7:50123`, `[2001:db8::1]:50123`: some proxies write the port as well. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/

export class ClientAddress {
  readonly #proxies: AddressRanges

  /** `trustedProxies`: addresses and ranges of proxies. */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = new AddressRanges(trustedProxies)
  }

  /** True when a trusted proxy forwarded the request. */
  isProxied({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    return this.#proxies.size > 0 && this.#proxies.includes(socket.remoteAddress ?? '')
  }

  /**
   * The address in any spelling; '' when it is unknown. Each proxy appends the address of its own client to
   * X-Forwarded-For. Read from the right, entries are reliable as long as a trusted proxy wrote them; the client may
   * have forged the ones further left.
   */
  addressOf({ socket, headers }: IncomingMessage): string {
    let address = socket.remoteAddress ?? ''
    // The address is returned unparsed: most services have no proxy, and most keys are not limited to networks.
    if (this.#proxies.size === 0 || !this.#proxies.includes(address)) return address
    const forwarded = headers['x-forwarded-for'] ?? ''
    const entries = typeof forwarded === 'string' ? forwarded.split(',') : forwarded
    for (const entry of entries.reverse()) {
      const text = entry.trim()
      if (text === '') continue
      address = canonicalAddress(text) ?? canonicalAddress(withoutPort(text)) ?? ''
      if (!this.#proxies.includes(address)) return address
    }
    return address
  }
}

function withoutPort(text: string): string {
  const [, v6, v4] = WITH_PORT.exec(text) ?? []
  return v6 ?? v4 ?? ''
}

/** An address in a sentence. */
export function place(address: string): string {
  return address === '' ? 'an unknown address' : `the address ${address}`
}
