/** Where a request comes from: the other end of the connection, or what a proxy that is trusted says. */
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

  /** Whether a trusted proxy has brought the request. */
  isProxied({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    return this.#proxies.size > 0 && this.#proxies.includes(socket.remoteAddress ?? '')
  }

  /**
   * The address in any spelling; '' when it cannot be told. Each proxy adds to the right of X-Forwarded-For whom it was
   * called by. Read from there, entries are worth something as long as trusted proxies wrote them; what stands further
   * to the left the client may have made up.
   */
  of({ socket, headers }: IncomingMessage): string {
    let address = socket.remoteAddress ?? ''
    // Most services have no proxy in front, and most keys no networks: nothing is read out of the address then.
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
  return address === '' ? 'an address that cannot be told' : `the address ${address}`
}
