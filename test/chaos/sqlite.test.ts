/** The bounded form of `npm run chaos` on SQLite: a fixed list of faults for some seconds. Run `npm run chaos` for more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Campaign } from '../../chaos/campaign.ts'
import type { FaultKind } from '../../chaos/fault-log.ts'
import { DEFAULTS } from '../../chaos/options.ts'
import { defects, reportText } from '../../chaos/report.ts'

const FAULTS: FaultKind[] = [
  'kill',
  'stop',
  'pause',
  'thread',
  'sink',
  'dns',
  'client',
  'disk-full',
  'io-error',
  'slow-disk',
  'clock',
]

test('faults of every kind on SQLite lose nothing and double nothing outside the named window', {
  timeout: 240_000,
}, async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}: npm run chaos -- --seed ${seed} --every 0.8 --rate 30`)
  const campaign = new Campaign({
    ...DEFAULTS,
    database: 'sqlite',
    minutes: 25 / 60,
    seed,
    rate: 30,
    every: 0.8,
    faults: FAULTS,
    keep: null,
    onProgress: (line) => t.diagnostic(line),
  })
  t.signal.addEventListener('abort', () => campaign.interrupt())
  const report = await campaign.run()
  t.diagnostic(reportText(report))
  assert.deepEqual(defects(report), [], reportText(report))
  assert.ok(report.messages.accepted > 0, 'no message was accepted')
  assert.ok(
    Object.values(report.faults).filter(({ struck }) => struck > 0).length >= 3,
    'hardly a fault struck',
  )
})
