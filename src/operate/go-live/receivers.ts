/** Whether mail servers of large providers answer, asked from a source address as delivery would ask them. */
import { greetingOf } from '../../delivery/forecast/knock.ts'
import { connectionSource, reaches, type Source } from '../../delivery/path/source.ts'
import { SmtpError } from '../../delivery/smtp/error.ts'
import type { Hosts, Operation } from '../verb.ts'

/** Large mailbox providers. If a server of any of them answers, port 25 is open. */
export const PROVIDERS = ['gmail.com', 'outlook.com', 'yahoo.com']
/** RFC 5321 4.2.3: the reply code of a server that takes mail. */
const READY = '220'
/** Servers tried for each provider. */
const TRIED = 2

export interface ServerGreeting {
  server: string
  /** The greeting; null: there was none, for the reason in `failure`, which names the server. */
  line: string | null
  failure: string
}

/** The best answer; null: nobody answers. `first`: the first server that was tried; undefined: DNS named none. */
export interface GreetingResult {
  best: (ServerGreeting & { line: string }) | null
  first: ServerGreeting | undefined
}

/** One provider that sends a greeting is enough: refusals by the others are their own policy. */
export async function greetingFrom(
  op: Operation,
  source: Source,
  providers: readonly string[] = PROVIDERS,
): Promise<GreetingResult> {
  // All at once: where the port is blocked, each of them costs the whole time of waiting.
  const tried = (await Promise.all(providers.map((domain) => greetedBy(op, source, domain)))).flat()
  const answers = tried.filter((each): each is ServerGreeting & { line: string } => each.line !== null)
  return { best: answers.find(({ line }) => isReady(line)) ?? answers[0] ?? null, first: tried[0] }
}

/** The greeting of a server that takes mail. */
export function isReady(line: string): boolean {
  return line.startsWith(READY)
}

/** IPv4 addresses first: nearly every network has IPv4. */
export async function resolveHost(hosts: Hosts, host: string): Promise<string[]> {
  const found = await hosts.addresses(host)
  if (found.kind !== 'found') return []
  return found.records.toSorted((a, b) => a.family - b.family).map(({ address }) => address)
}

/** Tries the servers of a provider until one answers. */
async function greetedBy(op: Operation, source: Source, domain: string): Promise<ServerGreeting[]> {
  const hosts = op.hosts()
  const found = await hosts.mx(domain)
  const tried: ServerGreeting[] = []
  for (const { exchange } of found.kind === 'found' ? found.records.slice(0, TRIED) : []) {
    const addresses = await resolveHost(hosts, exchange)
    const address = addresses.find((each) => reaches(source, each))
    if (address === undefined) continue
    const refused = op.guard()(address)
    if (refused !== null) {
      tried.push({ server: exchange, line: null, failure: `${exchange}: ${refused}` })
      continue
    }
    const target = { host: exchange, address, port: op.setup.smtpPort, implicitTls: false, helo: source.helo }
    try {
      const line = await greetingOf({ ...target, ...connectionSource(source, address) })
      return [...tried, { server: exchange, line, failure: '' }]
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error
      tried.push({ server: exchange, line: null, failure: error.message })
    }
  }
  return tried
}
