/**
 * Finds the client behind a load balancer. The balancer sends the client's address before any SMTP or TLS, and only
 * trusted proxies are believed.
 */
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import { AddressRanges } from '../network/address-range.ts'
import { ProxyHeaderError, readProxyHeader } from '../network/proxy/header.ts'
import type { Channel } from './channel.ts'
import { CommandRefusal, reply } from './reply.ts'

/** Ms for the header, which a proxy sends first. */
const WITHIN = 10_000
/** Ms between two lines in the log. */
const LOG_EVERY = 1_000

export class TrustedProxies {
  readonly #trusted: AddressRanges
  readonly #log: Pick<Log, 'warn'>
  readonly #throttle = new LogThrottle(LOG_EVERY)

  /** `trusted`: addresses and ranges of addresses. */
  constructor(trusted: readonly string[], log: Pick<Log, 'warn'>) {
    this.#trusted = new AddressRanges(trusted)
    this.#log = log
  }

  /**
   * Reads the header, and returns the address of the client; '' if the balancer names none, as for a connection of its
   * own. '' never counts as local. Rejects with an error that ends the session.
   */
  async clientOf(channel: Channel, requestId: string): Promise<string> {
    const address = channel.socket.remoteAddress ?? ''
    try {
      if (!this.#trusted.includes(address)) {
        throw new ProxyHeaderError('it does not come from an address of POSTROAD_TRUSTED_PROXIES')
      }
      return await headerOf(channel)
    } catch (error) {
      if (!(error instanceof ProxyHeaderError)) throw error
      const others = this.#throttle.due()
      const facts = { requestId, address, ...(others && { others }) }
      if (others !== null) this.#log.warn(facts, `an SMTP connection was refused: ${error.message}`)
      throw new CommandRefusal(reply(421, '4.7.0', `Connection refused: ${error.message}`), { last: true })
    }
  }
}

async function headerOf(channel: Channel): Promise<string> {
  let seen: Buffer = Buffer.alloc(0)
  let client = ''
  await channel.pieces((piece) => {
    const before = seen.length
    seen = before === 0 ? piece : Buffer.concat([seen, piece])
    const header = readProxyHeader(seen)
    if (header === null) return null
    client = header.address ?? ''
    return header.length - before
  }, WITHIN)
  return client
}
