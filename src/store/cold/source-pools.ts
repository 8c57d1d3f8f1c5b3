/** Pools of source addresses. */
import { POOLS } from '../account-rows.ts'
import type { WarmUpCount, WarmUpPart, WarmUpRequest } from '../account-store.ts'
import { changeAccounts, changeOne } from './account-change.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const SET = statement(`INSERT INTO source_pools (name, addresses, warming, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name) DO UPDATE SET addresses = excluded.addresses, warming = excluded.warming`)
const REMOVE = statement('DELETE FROM source_pools WHERE name = $1')

const WARM_UP_COUNTS = statement<WarmUpCount>(
  'SELECT source, site, messages FROM warm_up_counts WHERE day = $1 ORDER BY messages DESC, source, site LIMIT $2',
)
const COUNT_WARM_UP =
  statement(`INSERT INTO warm_up_counts (day, source, site, messages) VALUES ($1, $2, $3, $4)
  ON CONFLICT (day, source, site) DO UPDATE SET messages = warm_up_counts.messages + excluded.messages`)
/** Locks the row, so that what is read next is true until the end of the transaction. */
const LOCK_COUNT = statement(`INSERT INTO warm_up_counts (day, source, site, messages) VALUES ($1, $2, $3, 0)
  ON CONFLICT (day, source, site) DO UPDATE SET messages = warm_up_counts.messages`)
const MESSAGES = statement<Pick<WarmUpCount, 'messages'>>(
  'SELECT messages FROM warm_up_counts WHERE day = $1 AND source = $2 AND site = $3',
)
const FORGET_COUNTS = statement('DELETE FROM warm_up_counts WHERE day < $1')
/** Days for which counts are kept. */
const KEPT_DAYS = 2

export const sourcePoolReads = {
  *warmUpCounts(port, day, most) {
    const rows = yield* port.read.all(WARM_UP_COUNTS, day, most)
    return rows.map((row) => ({ ...row, messages: Number(row.messages) }))
  },
} satisfies Operations<ReadPort>

export const sourcePoolWrites = {
  *setSourcePool(port, { name, addresses, warming, createdAt }) {
    yield* changeOne(port, POOLS, function* (db) {
      yield* db.run(SET, name, JSON.stringify(addresses), JSON.stringify(warming), createdAt)
    })
  },

  *takeWarmUp(port, day, wanted) {
    const parts = yield* port.transaction(function* (db) {
      const taken = new Map<WarmUpRequest, WarmUpPart>()
      for (const request of inOrder(wanted)) {
        const { source, site, limit, most } = request
        yield* db.run(LOCK_COUNT, day, source, site)
        const { messages } = (yield* db.one(MESSAGES, day, source, site))!
        const part = Math.max(0, Math.min(most, limit - Number(messages)))
        if (part > 0) yield* db.run(COUNT_WARM_UP, day, source, site, part)
        taken.set(request, { source, site, messages: Number(messages) + part, taken: part })
      }
      yield* db.run(FORGET_COUNTS, day - KEPT_DAYS)
      return taken
    })
    return wanted.map((request) => parts.get(request)!)
  },

  *countWarmUp(port, day, counts) {
    yield* port.transaction(function* (db) {
      for (const { source, site, messages } of inOrder(counts)) {
        yield* db.run(COUNT_WARM_UP, day, source, site, messages)
      }
      yield* db.run(FORGET_COUNTS, day - KEPT_DAYS)
    })
  },

  *removeSourcePool(port, name) {
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.run(REMOVE, name)) > 0 ? [POOLS] : []
    })
  },
} satisfies Operations<Port>

/** The same on all nodes, so that their transactions never wait for each other in a circle. */
function inOrder<Named extends Omit<WarmUpCount, 'messages'>>(counts: readonly Named[]): Named[] {
  const key = ({ source, site }: Named) => `${source} ${site}`
  return counts.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
