/** Pools of source addresses. */
import { POOLS } from '../account-rows.ts'
import { changeAccounts, changeOne } from './account-change.ts'
import type { Operations, Port } from './port.ts'
import { statement } from './statement.ts'

const SET = statement(`INSERT INTO source_pools (name, addresses, created_at) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET addresses = excluded.addresses`)
const REMOVE = statement('DELETE FROM source_pools WHERE name = $1')

export const sourcePoolWrites = {
  *setSourcePool(port, { name, addresses, createdAt }) {
    yield* changeOne(port, POOLS, function* (db) {
      yield* db.run(SET, name, JSON.stringify(addresses), createdAt)
    })
  },

  *removeSourcePool(port, name) {
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.run(REMOVE, name)) > 0 ? [POOLS] : []
    })
  },
} satisfies Operations<Port>
