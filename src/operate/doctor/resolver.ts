/** Whether the configured resolvers validate their answers (DNSSEC, RFC 4035). */
import {
  configuredServers,
  ignoredServers,
  nameServers,
  serversToAsk,
  shownServer,
  unusedTrust,
} from '../../dns/name-server.ts'
import { validates } from '../../dns/validation.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, warning } from './check.ts'

const ADVICE =
  'Run a validating resolver, such as Unbound, on this machine and name it in POSTROAD_DNS_SERVERS.'
const ADVICE_FOR_UNASKED =
  'Remove it from the resolvers; or, if it validates and nobody can change its answers on the way, name it in ' +
  'POSTROAD_DNS_VALIDATING.'
const ADVICE_FOR_USELESS =
  'DANE depends on them: name the server in POSTROAD_DNS_SERVERS as well, or remove it from POSTROAD_DNS_VALIDATING.'

export function resolverCheck(op: Operation): PlannedCheck {
  const { dnsServers, dnsValidating } = op.setup
  const run = () => result(configuredServers(dnsServers), dnsValidating)
  return { id: 'resolver', title: 'DNS resolver', run }
}

async function result(servers: readonly string[], validating: readonly string[]): Promise<CheckFinding> {
  const all = nameServers(servers, validating)
  const answers = await Promise.all(
    serversToAsk(all).map(async (server) => {
      return { name: shownServer(server), isTrusted: server.validating, validated: await validates(server) }
    }),
  )
  const names = (of: typeof answers) => of.map(({ name }) => name).join(', ')
  const answering = answers.filter(({ validated }) => validated !== null)
  if (answering.length === 0) {
    return problem(
      `No resolver answers (${names(answers)}).`,
      'Check POSTROAD_DNS_SERVERS, the resolvers of the system, and the firewall.',
    )
  }
  const silent = answers.filter(({ validated }) => validated === null)
  if (silent.length > 0) {
    return warning(`${names(silent)} does not answer.`, 'Remove it from the resolvers, or repair it.')
  }
  const useless = unusedTrust(servers, validating)
  if (useless !== null) return warning(useless, ADVICE_FOR_USELESS)
  const unasked = ignoredServers(all)
  if (unasked !== null) return warning(unasked, ADVICE_FOR_UNASKED)
  const plain = answering.filter(({ validated }) => !validated)
  if (plain.length > 0) return warning(`${names(plain)} does not validate answers (DNSSEC).`, ADVICE)
  // Anybody on the way could set the bit that says so.
  const remote = answering.filter(({ isTrusted }) => !isTrusted)
  if (remote.length > 0) {
    return warning(
      `${names(remote)} validates answers, but they cross a network on which they can be changed.`,
      ADVICE,
    )
  }
  return ok(`${names(answering)} validates answers (DNSSEC).`)
}
