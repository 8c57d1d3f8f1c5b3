/** Faults of the way between a node and PostgreSQL. */
import type { ChaosDatabase } from '../database.ts'
import type { ChaosNode } from '../node.ts'
import { SOUGHT_MS } from '../refused.ts'
import type { FaultMaker, Stage } from '../stage.ts'

export function networkFaults(stage: Stage, database: ChaosDatabase, nodeTimeout: number): FaultMaker[] {
  const { random, log } = stage
  const severed = new Set<ChaosNode>()

  const cut = async () => {
    const whole = stage.nodes.filter((node) => !severed.has(node))
    if (whole.length === 0) return
    const node = random.pick(whole)
    const silently = random.chance(0.6)
    const ms = random.weighted([
      [nodeTimeout * random.between(0.05, 0.9), 10],
      [nodeTimeout * random.between(1.2, 2.5), 7],
      // Beyond the patience with a commit whose answer was lost.
      [SOUGHT_MS + random.between(500, 4_000), 3],
    ])
    severed.add(node)
    const way = database.way(node.name)
    const manner = silently ? 'silently' : 'by reset'
    const fault = log.begin('cut', [node.name], `${node.life?.name} ${manner} for ${Math.round(ms)} ms`)
    if (way.connections > 0) fault.hits++
    if (silently) way.sever()
    else way.severByReset()
    await stage.wait(ms)
    way.mend()
    log.end(fault)
    severed.delete(node)
  }

  return [{ kind: 'cut', weight: 8, strike: cut }]
}
