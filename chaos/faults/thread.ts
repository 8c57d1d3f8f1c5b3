/**
 * Death of one thread inside a node. A signal would end the whole process, and the product has no door for this: the debugger's
 * protocol, switched on for these runs only, reaches every worker thread and has it end itself.
 */
import { ThreadInspector } from '../../harness/thread-inspector.ts'
import type { FaultMaker, Stage } from '../stage.ts'

/** Two ways for a thread to die: without a word, or by an error nobody catches. */
const DEATHS = ['process.exit(7)', 'setImmediate(() => { throw new Error("chaos") })'] as const

/** Ms to wait for a process that may be killed at any time. */
const PATIENCE = 3_000

export function threadFaults(stage: Stage): FaultMaker[] {
  const { random, log } = stage
  const strike = async () => {
    const nodes = stage.nodes.filter(
      ({ inspector, stopped, url }) => inspector !== null && !stopped && url !== null,
    )
    if (nodes.length === 0) return
    const node = random.pick(nodes)
    const life = node.life?.name ?? ''
    const connecting = ThreadInspector.connect(node.inspector!)
    const inspector = await inTime(connecting)
    if (inspector === null) {
      connecting.then(
        (late) => late.close(),
        () => {},
      )
      return
    }
    try {
      const { workers } = inspector
      if (workers.length === 0) return
      const [session, thread] = random.pick(workers)
      const death = random.pick(DEATHS)
      // The thread may be gone before its death is confirmed; what follows from it may come at once.
      const fault = log.begin('thread', [node.name], `${life} ${thread}: ${death}`)
      inspector.evaluate(session, death).catch(() => {})
      if ((await inTime(inspector.ended(session).then(() => true))) !== null) fault.hits++
      log.end(fault)
    } finally {
      inspector.close()
    }
  }
  return [{ kind: 'thread', weight: 6, strike }]
}

/** Null when it fails, or takes longer than there is patience for. */
function inTime<Value>(work: Promise<Value>): Promise<Value | null> {
  const late = new Promise<null>((resolve) => {
    setTimeout(resolve, PATIENCE, null).unref()
  })
  return Promise.race([work.catch(() => null), late])
}
