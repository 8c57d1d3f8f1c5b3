/** Faults of the disk beneath an SQLite database: full, failing, slow. */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PreloadControl } from '../../harness/preload/preload.ts'
import { type FaultMaker, oneAtATime, type Stage } from '../stage.ts'

export function diskFaults(stage: Stage): FaultMaker[] {
  const { random, log, preload, disk } = stage
  const makers: FaultMaker[] = []
  const [node] = stage.nodes
  if (node === undefined) return makers
  const control = preload?.of(node.name) ?? null

  if (disk !== null) {
    const ballast = join(disk, 'ballast')
    const fill = async () => {
      const fault = log.begin('disk-full', [node.name], '')
      const before = control?.full ?? 0
      const giveUp = performance.now() + random.between(500, 6_000)
      // What the service frees meanwhile (it cannot do much) is taken again.
      while (performance.now() < giveUp && !stage.over()) {
        fillUp(disk, ballast)
        await stage.wait(100)
      }
      rmSync(ballast, { force: true })
      // Without the library nobody can say whether a write met it.
      fault.hits = control === null ? 1 : control.full - before
      log.end(fault)
    }
    makers.push({ kind: 'disk-full', weight: 3, strike: oneAtATime()(fill) })
  }

  if (control !== null) {
    makers.push(
      // Two of a kind at once would undo each other.
      { kind: 'io-error', weight: 3, strike: oneAtATime()(() => fail(control)) },
      { kind: 'slow-disk', weight: 2, strike: oneAtATime()(() => slow(control)) },
    )
  }
  return makers

  async function fail(control: PreloadControl): Promise<void> {
    const what = random.pick(['fsync', 'write', 'both'] as const)
    const share = random.pick([0.05, 0.3, 1])
    const fault = log.begin('io-error', [node!.name], `${what}, share ${share}`)
    const before = control.failed
    if (what !== 'write') control.failingSyncs = share
    if (what !== 'fsync') control.failingWrites = share
    await stage.wait(random.between(100, 4_000))
    control.failingSyncs = 0
    control.failingWrites = 0
    fault.hits = control.failed - before
    log.end(fault)
  }

  async function slow(control: PreloadControl): Promise<void> {
    const ms = random.pick([30, 300, 2_000])
    const fault = log.begin('slow-disk', [node!.name], `${ms} ms`)
    const before = control.delayed
    control.syncDelay = ms
    await stage.wait(random.between(1_000, 6_000))
    control.syncDelay = 0
    fault.hits = control.delayed - before
    log.end(fault)
  }
}

/** Takes all that is left on the file system, to the last block. */
function fillUp(disk: string, ballast: string): void {
  for (let tries = 0; tries < 20; tries++) {
    const { bavail, bsize } = statfsSync(disk)
    if (bavail === 0) return
    const own = statSync(ballast, { throwIfNoEntry: false })?.size ?? 0
    try {
      const args = ['--offset', String(own), '--length', String(bavail * bsize), ballast]
      execFileSync('fallocate', args, { stdio: 'ignore' })
    } catch {
      // Not all of it can be had at once: the file system needs some for itself. It keeps what it got.
    }
  }
}
