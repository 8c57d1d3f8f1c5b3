/**
 * The short form of `npm run bench:soak`: what a round of load with hostile peers leaves open, the next rounds leave open as well, and no
 * more. Counts only: no rate and no time decides anything.
 */
import assert from 'node:assert/strict'
import os from 'node:os'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { SoakRun, type SoakSample } from '../../bench/soak/soak-run.ts'

const RATE = 120
const SECONDS = 2
const ROUNDS = 3

/** Ms that everything has to come to rest once every peer obliges; retries are a second apart. */
const PATIENCE = 60_000

/** Descriptors, handles and timers that may come and go at rest: a probe of the store, a sample on its way. */
const SLACK = 3

test('rounds of load with hostile peers leave no descriptor, handle, timer or listener behind', {
  timeout: 240_000,
}, async (t) => {
  const seed = Math.floor(Math.random() * 1_000_000)
  t.diagnostic(`seed ${seed}`)
  await using run = await SoakRun.start({
    cpus: 'all',
    database: 'sqlite',
    parent: os.tmpdir(),
    nodes: 0,
    settings: {},
    seed,
    most: RATE * SECONDS * ROUNDS,
    retries: Array<string>(60).fill('1s').join(','),
  })
  const round = async () => {
    await run.spoil()
    await run.offer(RATE, SECONDS)
    await run.heal()
    await run.drained(PATIENCE)
    // Sessions that lie idle come to an end here, not half a minute later.
    await run.heal()
  }
  await round()
  const first = counts(await atRest(run))
  for (let again = 1; again < ROUNDS; again++) {
    await round()
    let now = counts(await atRest(run))
    for (
      const giveUp = performance.now() + PATIENCE;
      more(first, now).length > 0;
      now = counts(await run.sample())
    ) {
      assert.ok(performance.now() < giveUp, `round ${again + 1} left open: ${more(first, now).join(', ')}`)
      await pause(200)
    }
  }
  const { accepted, arrived, bounced, doubles, strangers } = await run.end()
  assert.equal(accepted, RATE * SECONDS * ROUNDS)
  assert.equal(arrived + bounced, accepted)
  assert.deepEqual(doubles, [])
  assert.equal(strangers, 0)
  assert.equal(run.listenerWarnings(), 0)
})

/** Samples until two in a row are the same: the service has noticed the cut connections. */
async function atRest(run: SoakRun): Promise<SoakSample> {
  let before = await run.sample()
  for (const giveUp = performance.now() + PATIENCE; performance.now() < giveUp; ) {
    await pause(200)
    const now = await run.sample()
    if (JSON.stringify([...counts(now)]) === JSON.stringify([...counts(before)])) return now
    before = now
  }
  return before
}

function counts({ nodes }: SoakSample): Map<string, number> {
  const all = new Map<string, number>()
  for (const { files, threads } of nodes) {
    all.set('files', files)
    for (const { name, resources, listeners } of threads) {
      all.set(`${name} listeners`, listeners)
      for (const [kind, open] of Object.entries(resources)) all.set(`${name} ${kind}`, open)
    }
  }
  return all
}

/** What there is more of than before, beyond the slack. */
function more(before: Map<string, number>, now: Map<string, number>): string[] {
  return [...now]
    .filter(([name, open]) => open > (before.get(name) ?? 0) + SLACK)
    .map(([name, open]) => `${name} ${before.get(name) ?? 0} -> ${open}`)
}
