/** The bounded form of `npm run chaos` on PostgreSQL with four nodes: faults of all kinds for some seconds. */
import { test } from 'node:test'
import { findPostgres } from '../../harness/postgres-cluster.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { strike } from './bounded.ts'

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
  await strike(t, { database: 'postgres', striking: 4 })
})
