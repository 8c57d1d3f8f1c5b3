/** The bounded form of `npm run chaos` on SQLite: a fixed list of faults for some seconds. Run `npm run chaos` for more. */
import { test } from 'node:test'
import type { FaultKind } from '../../chaos/fault-log.ts'
import { strike } from './bounded.ts'

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
  await strike(t, { database: 'sqlite', faults: FAULTS, striking: 3 })
})
