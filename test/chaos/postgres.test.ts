/** The bounded form of `npm run chaos` on PostgreSQL with four nodes: a fixed list of faults for some seconds. */
import { test } from 'node:test'
import type { FaultKind } from '../../chaos/fault-log.ts'
import { findPostgres } from '../../harness/postgres-cluster.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { strike } from './bounded.ts'

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
  await strike(t, { database: 'postgres', faults: FAULTS, striking: 4 })
})
