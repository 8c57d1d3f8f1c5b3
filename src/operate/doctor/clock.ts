/** The clock of this machine, compared with a time server. */
import { askTime } from '../../network/time-server.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

export interface TimeServer {
  host: string
  port: number
}

const TIME_SERVER: TimeServer = { host: 'pool.ntp.org', port: 123 }
/** Seconds: from here on, codes of the second factor are refused (RFC 6238 5.2). */
const WRONG = 30
/** Seconds: from here on, receivers may doubt Date fields and signatures. */
const FAR_WRONG = 300

const SET = 'Let a time service such as chrony or systemd-timesyncd set the clock.'

export function clockCheck(op: Operation, server = TIME_SERVER): PlannedCheck {
  return { id: 'clock', title: 'Clock', run: () => result(op, server) }
}

async function result(op: Operation, { host, port }: TimeServer): Promise<CheckFinding> {
  const found = await op.hosts().addresses(host)
  const addresses = found.kind === 'found' ? found.records : []
  // Prefers IPv4, which nearly every network has.
  const [first] = addresses.toSorted((a, b) => a.family - b.family)
  if (first === undefined) return unknown(`${host} was not found in DNS.`, SET)
  const refused = op.guard()(first.address)
  if (refused !== null) return unknown(`${host} cannot be queried: ${refused}.`, SET)
  const offset = await askTime(first.address, port)
  if (offset === null) return unknown(`${host} does not answer, so the clock could not be compared.`, SET)
  const seconds = Math.round(Math.abs(offset) / 1_000)
  if (seconds < WRONG) return ok(seconds === 0 ? 'It is right.' : `It differs by ${seconds} s from ${host}.`)
  const finding = `It is ${seconds} s ${offset > 0 ? 'behind' : 'ahead of'} ${host}.`
  return seconds < FAR_WRONG ? warning(finding, SET) : problem(finding, SET)
}
