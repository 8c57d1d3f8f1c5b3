/** Faults of whole processes: killed, told to stop, stopped and continued. */
import type { ChaosNode } from '../node.ts'
import type { FaultMaker, Stage } from '../stage.ts'

export function processFaults(stage: Stage): FaultMaker[] {
  const { random, log } = stage
  /** Nodes that a fault has in its hands: what is stopped is not killed by another fault before it goes on. */
  const held = new Set<ChaosNode>()
  const take = (): ChaosNode | null => {
    const free = stage.nodes.filter((node) => node.pid !== null && node.url !== null && !held.has(node))
    return free.length === 0 ? null : random.pick(free)
  }

  const end = async (kind: 'kill' | 'stop', signal: 'SIGKILL' | 'SIGTERM') => {
    const node = take()
    if (node === null) return
    const fault = log.begin(kind, [node.name], node.life?.name ?? '')
    if (node.signal(signal)) fault.hits++
    log.end(fault)
  }

  const pause = async (kind: 'pause' | 'pause-long', ms: number) => {
    const node = take()
    if (node === null) return
    held.add(node)
    const fault = log.begin(kind, [node.name], `${node.life?.name} for ${Math.round(ms)} ms`)
    if (node.signal('SIGSTOP')) fault.hits++
    await stage.wait(ms)
    // Some never wake up again.
    if (random.chance(0.15)) node.signal('SIGKILL')
    else node.signal('SIGCONT')
    log.end(fault)
    held.delete(node)
  }

  const makers: FaultMaker[] = [
    { kind: 'kill', weight: 10, strike: () => end('kill', 'SIGKILL') },
    { kind: 'stop', weight: 3, strike: () => end('stop', 'SIGTERM') },
    { kind: 'pause', weight: 5, strike: () => pause('pause', random.between(100, 3_000)) },
  ]
  const { nodeTimeout } = stage
  if (nodeTimeout !== null) {
    const strike = () => pause('pause-long', nodeTimeout * random.between(1.2, 2.5))
    makers.push({ kind: 'pause-long', weight: 4, strike })
  }
  return makers
}
