/** Checks whether this installation can send mail, and says what to do where it cannot. */
import { type Operation, verb } from '../verb.ts'
import { blockListChecks } from './block-lists.ts'
import { certificateCheck } from './certificate.ts'
import {
  type CheckFinding,
  type CheckState,
  type DoctorCheck,
  type PlannedCheck,
  problem,
  unknown,
  worstOf,
} from './check.ts'
import { clockCheck } from './clock.ts'
import { heldMailCheck } from './closed-paths.ts'
import { closedSitesCheck } from './closed-sites.ts'
import { domainChecks } from './domains.ts'
import { mailboxCheck, mailboxServerCheck } from './mailbox.ts'
import { nodesCheck } from './nodes.ts'
import { poolsCheck } from './pools.ts'
import { resolverCheck } from './resolver.ts'
import { sitesFileCheck } from './sites-file.ts'
import { sourceChecks } from './sources.ts'
import { liveStepCheck, stepCheck } from './steps.ts'
import { diskCheck } from './storage.ts'
import { tlsReportsCheck } from './tls-reports.ts'
import { oldestMailCheck, quarantineCheck } from './waiting-mail.ts'

export type { CheckState }

export interface Diagnosis {
  /** The worst state of the checks. */
  state: CheckState
  checks: DoctorCheck[]
}

/** Ms after which a check is given up: the slowest one tries two silent mail servers, one after the other. */
const PATIENCE_MS = 25_000

/** Makes all checks at once. A check that fails or takes too long is `unknown`, and the others go on. */
export const examine = verb(
  'operate',
  async (op: Operation, _input: object): Promise<Diagnosis> => {
    const checks = await runChecks(op, 'all')
    const shown = checks.map(({ memberAdvice: _, ...check }) => check)
    return { state: worstOf(checks.map(({ state }) => state)), checks: shown }
  },
  null,
)

/** The only finding when the database cannot be opened: every other check needs it. */
export function withoutDatabase({ message }: Error): Diagnosis {
  const advice = 'Mend this first: nothing else is checked without the database.'
  return {
    state: 'problem',
    checks: [{ id: 'database', title: 'Database', ...problem(`${message}.`, advice) }],
  }
}

/** `near`: only those that contact no server outside this installation. */
export async function runChecks(op: Operation, which: 'all' | 'near'): Promise<DoctorCheck[]> {
  const planned = which === 'all' ? [...farChecks(op), ...nearChecks(op)] : nearChecks(op)
  const made = await Promise.all(planned.map((check) => runCheck(check, PATIENCE_MS)))
  return made.flat()
}

/** The way out, as DNS and other servers see it. */
function farChecks(op: Operation): PlannedCheck[] {
  // All checks share one cache of answers.
  const hosts = op.hosts()
  const resolver = op.resolver()
  const shared: Operation = { ...op, hosts: () => hosts, resolver: () => resolver }
  return [
    stepCheck(shared, 'route', 'Delivery'),
    liveStepCheck(shared, 'outgoing', 'Port 25, or the relay'),
    liveStepCheck(shared, 'hostname', 'Host name and reverse DNS'),
    ...sourceChecks(shared),
    ...blockListChecks(shared),
    resolverCheck(shared),
    ...domainChecks(shared),
    stepCheck(shared, 'https', 'HTTPS'),
    clockCheck(shared),
    ...mailboxServerCheck(shared),
  ]
}

/** The mail that waits, and the machine. */
function nearChecks(op: Operation): PlannedCheck[] {
  return [
    oldestMailCheck(op),
    heldMailCheck(op),
    closedSitesCheck(op),
    ...poolsCheck(op),
    quarantineCheck(op),
    ...mailboxCheck(op),
    nodesCheck(op),
    certificateCheck(op),
    tlsReportsCheck(op),
    ...sitesFileCheck(op),
    diskCheck(op),
    // A service whose backup is old sends as well as before.
    stepCheck(op, 'backup', 'Backup', 'warning'),
  ]
}

/** At least one check. Never rejects. */
export async function runCheck({ id, title, run }: PlannedCheck, patienceMs: number): Promise<DoctorCheck[]> {
  const late = Promise.withResolvers<CheckFinding>()
  const given = () =>
    late.resolve(
      unknown(`There was no answer within ${patienceMs / 1_000} seconds.`, 'Try again in a minute.'),
    )
  const timer = setTimeout(given, patienceMs)
  try {
    const { parts = [], ...finding } = await Promise.race<Awaited<ReturnType<PlannedCheck['run']>>>([
      run(),
      late.promise,
    ])
    return parts.length > 0 ? [...parts] : [{ id, title, ...finding }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ id, title, ...unknown(`The check failed: ${reason}.`, 'Look into the log of the service.') }]
  } finally {
    clearTimeout(timer)
  }
}
