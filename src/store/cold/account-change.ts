/** Changes of accounts. Each raises the version that the nodes compare, and is announced to them. */
import { VERSIONS_KEPT } from '../account-rows.ts'
import type { Port, PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

const NOTE = statement(
  ({ texts }) => `INSERT INTO account_changes (version, id)
    SELECT DISTINCT $1::int8, value FROM (${texts('$2')}) AS changed`,
)
const FORGET = statement('DELETE FROM account_changes WHERE version <= $1')

/**
 * Runs a transaction that changes accounts. `work` returns the ids of the changed things: for a DKIM key its domain's,
 * for a route ROUTES. Returns false when there are none.
 */
export function* changeAccounts(
  port: Port,
  work: (db: PortTransaction) => PortSteps<readonly string[]>,
): PortSteps<boolean> {
  let ids: readonly string[] = []
  return yield* port.notice(
    'accounts',
    function* (db) {
      ids = yield* work(db)
      return ids.length > 0
    },
    {
      *note(db, version) {
        yield* db.run(NOTE, version, ids)
        yield* db.run(FORGET, version - VERSIONS_KEPT)
      },
    },
  )
}

/** The same for a change of one thing that always takes place, or throws. */
export function* changeOne(
  port: Port,
  id: string,
  work: (db: PortTransaction) => PortSteps<void>,
): PortSteps<void> {
  yield* changeAccounts(port, function* (db) {
    yield* work(db)
    return [id]
  })
}
