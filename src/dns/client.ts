import { askWithEdns } from './edns.ts'
import { BADRESP, NoReply } from './exchange.ts'
import { type DnsAnswer, readAnswer } from './message.ts'
import { type NameServer, serversToAsk } from './name-server.ts'
import { organizationOf } from './organization.ts'
import type { RecordType } from './record.ts'

interface DnsClientOptions {
  /** At least one, the preferred one first. If some are trusted to validate, the others are not asked. */
  servers: NameServer[]
  /** Milliseconds that the first try waits for an answer; each further one waits twice as long. */
  timeout: number
  /** Tries per server. */
  tries: number
  /** A monotonic clock in milliseconds. */
  now: () => number
}

/** Milliseconds for which a server that is away is asked only after all others. */
const AWAY_MS = 30_000
/**
 * A server counts as away when it was silent about names of this many organizations and answered nothing in between:
 * the silent name servers of one stranger must not take the server from everybody.
 */
const SILENT_ORGANIZATIONS = 3

const NXDOMAIN = 3
/** RFC 1035 4.1.1, RFC 2136 2.2. */
const RCODES: Record<number, string> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  9: 'NOTAUTH',
}

/** Asks the servers in turn until one of them answers. */
export class DnsClient {
  readonly #options: DnsClientOptions
  readonly #servers: NameServer[]
  readonly #awayUntil = new Map<NameServer, number>()
  /** For each server, the organizations that it was silent about since its last answer. */
  readonly #silence = new Map<NameServer, Set<string>>()

  constructor(options: DnsClientOptions) {
    this.#options = options
    this.#servers = serversToAsk(options.servers)
  }

  /**
   * Resolves to an answer with records, or to the answer that there are none. Its AD bit is false unless the server is
   * trusted. Rejects with NoReply when no server gave an answer of either kind. An answer of one server counts more
   * than the silence of the others.
   */
  async ask<Type extends RecordType>(name: string, type: Type): Promise<DnsAnswer<Type>> {
    const { timeout, tries } = this.#options
    let servers = this.#inOrder()
    let refusal: NoReply | null = null
    let silence = new NoReply('TIMEOUT')
    for (let round = 0; round < tries && servers.length > 0; round++) {
      const silent: NameServer[] = []
      for (const server of servers) {
        try {
          const answer = await askServer(server, name, type, timeout * 2 ** round)
          this.#hasAnswered(server)
          if (answer.rcode === 0 || answer.rcode === NXDOMAIN) return answer
          refusal ??= new NoReply(RCODES[answer.rcode] ?? `RCODE${answer.rcode}`)
        } catch (error) {
          if (!(error instanceof NoReply)) throw error
          if (error.reason === BADRESP) {
            this.#hasAnswered(server)
            refusal ??= error
            continue
          }
          silence = error
          silent.push(server)
          this.#wasSilent(server, name)
        }
      }
      servers = silent
    }
    throw refusal ?? silence
  }

  #hasAnswered(server: NameServer): void {
    this.#awayUntil.delete(server)
    this.#silence.delete(server)
  }

  #wasSilent(server: NameServer, name: string): void {
    const organization = organizationOf(name)
    const organizations = this.#silence.get(server) ?? new Set()
    this.#silence.set(server, organizations.add(organization))
    if (organizations.size < SILENT_ORGANIZATIONS) return
    this.#awayUntil.set(server, this.#options.now() + AWAY_MS)
    this.#silence.delete(server)
  }

  #inOrder(): NameServer[] {
    if (this.#awayUntil.size === 0) return this.#servers
    const now = this.#options.now()
    const isAway = (server: NameServer) => (this.#awayUntil.get(server) ?? 0) > now
    return [...this.#servers.filter((server) => !isAway(server)), ...this.#servers.filter(isAway)]
  }
}

async function askServer<Type extends RecordType>(
  server: NameServer,
  name: string,
  type: Type,
  timeout: number,
): Promise<DnsAnswer<Type>> {
  const { validating: validated } = server
  const answer = readable(await askWithEdns(server, { name, type, validated }, timeout), type)
  return { ...answer, isValidated: answer.isValidated && validated }
}

function readable<Type extends RecordType>(reply: Buffer, type: Type): DnsAnswer<Type> {
  try {
    return readAnswer(reply, type)
  } catch {
    throw new NoReply(BADRESP)
  }
}
