/** Steps of a node's wall clock, forward and back. The monotonic clock goes on as if nothing had happened. */
import type { FaultMaker, Stage } from '../stage.ts'

const MINUTE = 60_000
/** Less than a day: what may be forgotten after one (idempotency keys) is still known. */
const STEPS = [2 * MINUTE, 20 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE] as const

export function clockFaults(stage: Stage): FaultMaker[] {
  const { random, log, preload } = stage
  if (preload === null) return []
  const wrong = new Set<string>()
  let furthest = 0

  const strike = async () => {
    const free = stage.nodes.filter(({ name, url }) => url !== null && !wrong.has(name))
    if (free.length === 0) return
    const { name } = random.pick(free)
    const control = preload.of(name)
    wrong.add(name)
    const offset = random.pick([-1, 1]) * random.pick(STEPS)
    const fault = log.begin('clock', [name], `${offset / MINUTE} minutes`)
    furthest = Math.max(furthest, offset)
    const before = control.clockReads
    control.clockOffset = offset
    await stage.wait(random.between(500, 10_000))
    control.clockOffset = 0
    fault.hits = control.clockReads - before
    log.end(fault)
    wrong.delete(name)
  }

  /** What was put off while a clock was fast is due when that hour comes: let it come now, on every node. */
  const settle = () => {
    if (furthest === 0) return
    for (const { name } of stage.nodes) preload.of(name).clockOffset = furthest
  }

  return [{ kind: 'clock', weight: 3, strike, settle }]
}
