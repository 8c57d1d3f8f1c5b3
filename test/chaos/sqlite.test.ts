/** The bounded form of `npm run chaos` on SQLite: faults of all kinds for some seconds. Run `npm run chaos` for more. */
import { test } from 'node:test'
import { strike } from './bounded.ts'

test('faults of every kind on SQLite lose nothing and double nothing outside the named window', {
  timeout: 240_000,
}, async (t) => {
  await strike(t, { database: 'sqlite', striking: 3 })
})
