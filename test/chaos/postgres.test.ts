/** The bounded form of `npm run chaos` on PostgreSQL with four nodes: a fixed list of faults for some seconds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Campaign } from '../../chaos/campaign.ts'
import type { FaultKind } from '../../chaos/fault-log.ts'
import { DEFAULTS } from '../../chaos/options.ts'
import { defects, reportText } from '../../chaos/report.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { findPostgres } from '../support/postgres-cluster.ts'

const FAULTS: FaultKind[] = [
  'kill',
  'stop',
  'pause',
  'pause-long',
  'thread',
  'sink',
  'dns',
  'client',
  'database-smart',
  'database-fast',
  'database-immediate',
  'database-kill',
  'database-sessions',
  'database-connections',
  'cut',
  'clock',
]

/** A server that can be killed is one of our own: the URL of another one is not enough. */
function skip(): string | false {
  const why = withoutPostgres()
  if (why !== false || findPostgres() !== null) return why
  return 'PostgreSQL is not installed here, and the server that POSTROAD_TEST_POSTGRES names must not be killed'
}

test('faults of many kinds on PostgreSQL and four nodes lose nothing and double nothing outside the named window', {
  timeout: 270_000,
  skip: skip(),
}, async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.diagnostic(`seed ${seed}: npm run chaos -- --database postgres --seed ${seed} --every 0.8 --rate 30`)
  const campaign = new Campaign({
    ...DEFAULTS,
    database: 'postgres',
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
    Object.values(report.faults).filter(({ struck }) => struck > 0).length >= 4,
    'hardly a fault struck',
  )
})
