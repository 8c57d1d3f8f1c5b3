/** Whether the nodes of the database are alive. */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeBeat } from '../../store/store.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, warning } from './check.ts'

/** Ms between two looks at the beats of the nodes. */
const LOOK_MS = 500
/** Ms for which beats are watched at most, however long the timeout of a node is. */
const LONGEST_WATCH_MS = 15_000

export function nodesCheck(op: Operation): PlannedCheck {
  return { id: 'nodes', title: 'Nodes', run: () => result(op) }
}

async function result({ store }: Operation): Promise<CheckFinding> {
  const nodes = await store.nodes()
  if (nodes.length === 0) {
    return warning('No node is running: mail is neither accepted nor sent.', 'Start one: npm start')
  }
  if (!(await store.isServed())) {
    return problem(
      `No process has the database open: ${namesOf(nodes)} has ended.`,
      'Start the service: npm start. What it was sending is tried again then.',
    )
  }
  const silent = store.shared ? await silentOf(nodes, () => store.nodes()) : []
  if (silent.length > 0) {
    return problem(
      `No sign of life from ${namesOf(silent)}.`,
      'Look at its machine, and at its connection to the database; the other nodes take over its mail.',
    )
  }
  for (const role of ['delivery', 'api'] as const) {
    if (nodes.some(({ roles }) => roles.includes(role))) continue
    const what = role === 'delivery' ? 'sends mail' : 'accepts mail'
    return problem(`No node ${what}.`, `Start a node with the role ${role} (POSTROAD_ROLES).`)
  }
  return ok(`${nodes.length === 1 ? 'One node runs' : `${nodes.length} nodes run`}: ${namesOf(nodes)}.`)
}

/** Those whose count of beats does not rise while they are watched, and that do not leave. */
async function silentOf(
  nodes: readonly NodeBeat[],
  look: () => Promise<readonly NodeBeat[]>,
): Promise<NodeBeat[]> {
  const watched = Math.min(Math.max(...nodes.map(({ timeoutMs }) => timeoutMs)), LONGEST_WATCH_MS)
  const until = performance.now() + watched
  let waiting = [...nodes]
  while (waiting.length > 0 && performance.now() < until) {
    await delay(LOOK_MS)
    const now = new Map((await look()).map(({ token, beats }) => [token, beats]))
    waiting = waiting.filter(({ token, beats }) => now.get(token) === beats)
  }
  return waiting
}

function namesOf(nodes: readonly NodeBeat[]): string {
  return nodes.map(({ name }) => name).join(', ')
}
