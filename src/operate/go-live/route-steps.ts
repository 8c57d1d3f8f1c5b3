/** Steps about the route: whether mail leaves, and whether the servers at the other end answer. */
import { isIP } from 'node:net'
import type { RelayRoute } from '../../config/settings.ts'
import { greetingOf, openAndQuit } from '../../delivery/forecast/knock.ts'
import { sourcesOf } from '../../delivery/path/source.ts'
import { GENERAL_SOURCE } from '../../delivery/path/source-choice.ts'
import { SmtpError } from '../../delivery/smtp/error.ts'
import { addressGuard } from '../../network/private-address.ts'
import type { Operation } from '../verb.ts'
import { greetingFrom, isReady, resolveHost } from './receivers.ts'
import { done, open, type StepResult, unknown, whileCaptured, wrong } from './step.ts'

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
  if (delivery.kind === 'capture') return whileCaptured()
  return delivery.kind === 'relay' ? await relayAnswers(op, delivery) : await receiversAnswer(op)
}

/** With credentials it logs in: otherwise a wrong password shows only when mail fails. It ends with QUIT. */
async function relayAnswers(op: Operation, relay: RelayRoute): Promise<StepResult> {
  const { host, port, implicitTls, tls, user, password, auth } = relay
  const server = `${host}:${port}`
  const [address] = isIP(host) === 0 ? await resolveHost(op.hosts(), host) : [host]
  if (address === undefined) {
    return wrong(`${host} has no address in DNS.`, 'Check the host in POSTROAD_DELIVERY.')
  }
  // The operator configured the relay, so it may be in a private network.
  const refused = addressGuard({ allowPrivateNetworks: true })(address)
  if (refused !== null) return wrong(`${server}: ${refused}.`, 'Check the host in POSTROAD_DELIVERY.')
  const target = { host, address, port, implicitTls, helo: op.hostname }
  try {
    if (user === null && !implicitTls) return judged(server, await greetingOf(target))
    const credentials = user === null ? null : { user, password: password ?? '', mechanism: auth }
    await openAndQuit({ ...target, tls, credentials })
    const login = user === null ? '' : `, and accepts the login "${user}"`
    return done(`${server} answers${login}.`)
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    return error.kind === 'auth'
      ? wrong(
          `${server} does not let the service in: ${error.message}.`,
          'Check the user, the password and the encryption in POSTROAD_DELIVERY.',
        )
      : wrong(
          `${server} cannot be used: ${error.message}.`,
          'Check the host and port in POSTROAD_DELIVERY, and the firewall.',
        )
  }
}

async function receiversAnswer(op: Operation): Promise<StepResult> {
  // The check of each source address asks from that address.
  const [source = { name: GENERAL_SOURCE, helo: op.hostname }] = sourcesOf(op.setup.sourceAddresses ?? [])
  const { best, first } = await greetingFrom(op, source)
  if (best !== null) return judged(best.server, best.line)
  if (first === undefined) {
    return unknown('DNS returned no mail servers to try.', 'Check that this machine can reach DNS servers.')
  }
  return wrong(
    `No server answers on port ${op.setup.smtpPort}: ${first.failure}.`,
    'Many hosting providers block port 25: ask yours to open it, or send through a relay on port 587.',
  )
}

function judged(server: string, line: string): StepResult {
  if (isReady(line)) return done(`${server} answers: ${line}`)
  const advice =
    'The server refuses this machine before any mail is sent. Its answer or its operator says why.'
  return wrong(`${server} answers: ${line}`, advice)
}
