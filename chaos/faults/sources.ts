/** Source addresses that die: the machine loses them, and gets them back. */
import type { SourceAddresses } from '../source-addresses.ts'
import { type FaultMaker, oneAtATime, type Stage } from '../stage.ts'

export function sourceFaults(stage: Stage, sources: SourceAddresses): FaultMaker[] {
  const { random, log } = stage

  const strike = async () => {
    const lost = random.chance(0.3) ? sources.all : [random.pick(sources.all)]
    const fault = log.begin('source', [], lost.join(' and '))
    for (const address of lost) sources.take(address)
    fault.hits = lost.length
    await stage.wait(random.between(500, 8_000))
    for (const address of lost) sources.give(address)
    log.end(fault)
  }

  return [{ kind: 'source', weight: 3, strike: oneAtATime()(strike) }]
}
