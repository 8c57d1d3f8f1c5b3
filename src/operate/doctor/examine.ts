/** Checks whether this installation can send mail, and says what to do where it cannot. */
import { type Operation, verb } from '../verb.ts'
import { blockListChecks } from './block-lists.ts'
import { certificateCheck } from './certificate.ts'
import { type Check, type CheckState, type PlannedCheck, unknown, worstOf } from './check.ts'
import { clockCheck } from './clock.ts'
import { domainChecks } from './domains.ts'
import { nodesCheck } from './nodes.ts'
import { resolverCheck } from './resolver.ts'
import { liveStepCheck, stepCheck } from './steps.ts'
import { diskCheck } from './storage.ts'
import { heldMailCheck, oldestMailCheck, quarantineCheck } from './waiting-mail.ts'

export type { CheckState }

export interface Diagnosis {
  /** The worst state of the checks. */
  state: CheckState
  checks: Check[]
}

/** Ms after which a check is given up: the slowest one tries two silent mail servers, one after the other. */
const PATIENCE_MS = 25_000

/** Makes all checks at once. A check that fails or takes too long is `unknown`, and the others go on. */
export const examine = verb(
  'operate',
  async (op: Operation, _input: object): Promise<Diagnosis> => {
    const checks = await Promise.all(plannedChecks(op).map((check) => carriedOut(check, PATIENCE_MS)))
    return { state: worstOf(checks.map(({ state }) => state)), checks }
  },
  null,
)

/** In the order in which they are shown: the way out, then the mail, then the machine. */
function plannedChecks(op: Operation): PlannedCheck[] {
  // All checks share one cache of answers.
  const hosts = op.hosts()
  const resolver = op.resolver()
  const shared: Operation = { ...op, hosts: () => hosts, resolver: () => resolver }
  return [
    stepCheck(shared, 'route', 'Delivery'),
    liveStepCheck(shared, 'outgoing', 'Port 25, or the relay'),
    liveStepCheck(shared, 'hostname', 'Host name and reverse DNS'),
    ...blockListChecks(shared),
    resolverCheck(shared),
    ...domainChecks(shared),
    oldestMailCheck(shared),
    heldMailCheck(shared),
    quarantineCheck(shared),
    nodesCheck(shared),
    stepCheck(shared, 'https', 'HTTPS'),
    certificateCheck(shared),
    clockCheck(shared),
    diskCheck(shared),
    // A service whose backup is old sends as well as before.
    stepCheck(shared, 'backup', 'Backup', 'warning'),
  ]
}

/** Never rejects. */
export async function carriedOut({ id, title, run }: PlannedCheck, patienceMs: number): Promise<Check> {
  const late = Promise.withResolvers<Check>()
  const given = () =>
    late.resolve({
      id,
      title,
      ...unknown(`There was no answer within ${patienceMs / 1_000} seconds.`, 'Try again in a minute.'),
    })
  const timer = setTimeout(given, patienceMs)
  try {
    return await Promise.race([run().then((result) => ({ id, title, ...result })), late.promise])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { id, title, ...unknown(`The check failed: ${reason}.`, 'Look into the log of the service.') }
  } finally {
    clearTimeout(timer)
  }
}
