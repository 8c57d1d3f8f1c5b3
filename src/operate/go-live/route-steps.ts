/** Steps about the route: whether mail leaves, and whether the servers at the other end answer. */
import { isIP } from 'node:net'
import type { RelayRoute } from '../../config/settings.ts'
import { addressGuard } from '../../network/private-address.ts'
import type { Hosts, Operation } from '../verb.ts'
import { GreetingError, greeting } from './greeting.ts'
import { done, open, type StepResult, unknown, unneeded, wrong } from './step.ts'

/** Large mailbox providers. If a server of any of them answers, port 25 is open. */
const PROBED = ['gmail.com', 'outlook.com', 'yahoo.com']
/** RFC 5321 4.2.3: the reply code of a server that takes mail. */
const READY = '220'
/** Servers tried for each provider. */
const TRIED = 2

export async function routeStep({ setup: { delivery } }: Operation): Promise<StepResult> {
  if (delivery.kind === 'direct')
    return done('Mail is delivered directly to the mail servers of its recipients.')
  if (delivery.kind === 'relay') return done(`Mail is sent through the relay ${delivery.host}.`)
  return open(
    'Mail is captured: no mail leaves this machine.',
    'Add the first line to .env for direct delivery, or the second one, without its #, for a relay, and restart.',
    'POSTROAD_DELIVERY=direct\n#POSTROAD_DELIVERY=smtp://user:password@smtp.example.com:587?tls=verified',
  )
}

export async function outgoingStep(op: Operation): Promise<StepResult> {
  const { delivery } = op.setup
  if (delivery.kind === 'capture') return unneeded('This is checked once mail leaves this machine.')
  return delivery.kind === 'relay' ? await relayAnswers(op, delivery) : await receiversAnswer(op)
}

async function relayAnswers(op: Operation, { host, port }: RelayRoute): Promise<StepResult> {
  const server = `${host}:${port}`
  // The operator configured the relay, so it may be in a private network.
  const anywhere = addressGuard({ allowPrivateNetworks: true })
  const [address] = isIP(host) === 0 ? await addressesOf(op.hosts(), host) : [host]
  if (address === undefined) {
    return wrong(`${host} has no address in DNS.`, 'Check the host in POSTROAD_DELIVERY.')
  }
  try {
    return judged(server, await greeting(address, port, anywhere))
  } catch (error) {
    if (!(error instanceof GreetingError)) throw error
    const advice = 'Check the host and port in POSTROAD_DELIVERY, and the firewall.'
    return wrong(`${server} does not answer: ${error.message}.`, advice)
  }
}

/** One provider that sends a greeting is enough: refusals by the others are their own policy. */
async function receiversAnswer(op: Operation): Promise<StepResult> {
  // All at once: where the port is blocked, each of them costs the whole time of waiting.
  const tried = (await Promise.all(PROBED.map((domain) => greetedBy(op, domain)))).flat()
  const answers = tried.filter(({ line }) => line !== null)
  const best = answers.find(({ line }) => line!.startsWith(READY)) ?? answers[0]
  if (best !== undefined) return judged(best.server, best.line!)
  const [first] = tried
  if (first === undefined) {
    return unknown('DNS returned no mail servers to try.', 'Check that this machine can reach DNS servers.')
  }
  return wrong(
    `No server answers on port ${op.setup.smtpPort}. ${first.server}: ${first.failure}.`,
    'Many hosting providers block port 25: ask yours to open it, or send through a relay on port 587.',
  )
}

interface TriedServer {
  server: string
  /** The greeting; null: there was none, for the reason in `failure`. */
  line: string | null
  failure: string
}

/** Tries the servers of a provider until one answers. */
async function greetedBy(op: Operation, domain: string): Promise<TriedServer[]> {
  const hosts = op.hosts()
  const found = await hosts.mx(domain)
  const tried: TriedServer[] = []
  for (const { exchange } of found.kind === 'found' ? found.records.slice(0, TRIED) : []) {
    const [address] = await addressesOf(hosts, exchange)
    if (address === undefined) continue
    try {
      const line = await greeting(address, op.setup.smtpPort, op.guard())
      return [...tried, { server: exchange, line, failure: '' }]
    } catch (error) {
      if (!(error instanceof GreetingError)) throw error
      tried.push({ server: exchange, line: null, failure: error.message })
    }
  }
  return tried
}

function judged(server: string, line: string): StepResult {
  if (line.startsWith(READY)) return done(`${server} answers: ${line}`)
  const advice =
    'The server refuses this machine before any mail is sent. Its answer or its operator says why.'
  return wrong(`${server} answers: ${line}`, advice)
}

/** IPv4 addresses first: nearly every network has IPv4. */
async function addressesOf(hosts: Hosts, host: string): Promise<string[]> {
  const found = await hosts.addresses(host)
  if (found.kind !== 'found') return []
  return found.records.toSorted((a, b) => a.family - b.family).map(({ address }) => address)
}
