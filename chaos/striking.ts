/** Faults, one after the other and at most a few at once, until the time is over. */
import type { Random } from '../harness/random.ts'
import type { FaultMaker, Stage } from './stage.ts'

/** Faults that last at once, at most. */
const AT_ONCE = 4

/** @param every mean seconds from one fault to the next; `onWrong`: a fault could not be made as it should */
export async function strikeAll(
  stage: Stage,
  makers: readonly FaultMaker[],
  { random, every, onWrong }: { random: Random; every: number; onWrong: (what: string) => void },
): Promise<void> {
  const weights = makers.map((maker) => [maker, maker.weight] as const)
  const underWay = new Set<Promise<void>>()
  const mean = every * 1_000
  while (!stage.over()) {
    // Exponentially distributed, as of things that happen independently.
    await stage.wait(Math.min(10 * mean, -Math.log(1 - random.next()) * mean))
    if (stage.over() || weights.length === 0) continue
    const maker = random.weighted(weights)
    if (underWay.size >= AT_ONCE) continue
    const work = maker.strike().catch((error: unknown) => {
      onWrong(`the fault ${maker.kind} went wrong: ${String(error)}`)
    })
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  }
  await Promise.all(underWay)
}
