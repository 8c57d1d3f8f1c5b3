/** The states of paths that nodes have learned. */
import type { AgreedChange, PathTry, SharedPath, SharedState } from '../shared-paths.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type Row = Omit<SharedPath, 'state'> & { state: string }

const ALL = statement<Row>(
  'SELECT key, node, changed_at AS "changedAt", state FROM shared_paths ORDER BY key',
)
const MARK = statement<{ rows: number; times: number }>(
  'SELECT count(*) AS rows, coalesce(sum(changed_at), 0) AS times FROM shared_paths',
)
const SHARE = statement(
  `INSERT INTO shared_paths (key, node, changed_at, state) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET node = excluded.node, changed_at = excluded.changed_at, state = excluded.state`,
)
const CHANGE = statement('UPDATE shared_paths SET node = $2, changed_at = $3, state = $4 WHERE key = $1')
const ADD = statement(
  `INSERT INTO shared_paths (key, node, changed_at, state) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`,
)
const REPLACE = statement(
  `UPDATE shared_paths SET node = $2, changed_at = $3, state = $4
    WHERE key = $1 AND node = $5 AND changed_at = $6`,
)
const REMOVE = statement('DELETE FROM shared_paths WHERE key = $1 AND node = $2 AND changed_at = $3')
const FORGET = statement(({ texts }) => `DELETE FROM shared_paths WHERE key IN (${texts('$1')})`)
const FORGET_OLD = statement('DELETE FROM shared_paths WHERE changed_at < $1')

const TAKE = statement(
  `INSERT INTO path_tries (key, node, until, under_way) VALUES ($1, $2, $3, 1)
    ON CONFLICT (key) DO UPDATE SET node = excluded.node, until = excluded.until, under_way = 1
    WHERE path_tries.until <= $4 OR path_tries.node = excluded.node OR ($5 = 1 AND path_tries.under_way = 0)`,
)
const END = statement('UPDATE path_tries SET until = $3, under_way = 0 WHERE key = $1 AND node = $2')
const TRIES = statement<PathTry>(
  ({ texts }) => `SELECT key, node, until FROM path_tries WHERE key IN (${texts('$1')})`,
)
const FORGET_TRIES = statement('DELETE FROM path_tries WHERE until < $1')
/** Milliseconds after which an ended try is forgotten. */
const TRY_KEPT_MS = 3_600_000

/** PostgreSQL refuses NUL, which separates the parts of a key, and which the words of a server may contain. */
const stored = (text: string) => text.replaceAll('\0', '\u001f')
const read = (key: string) => key.replaceAll('\u001f', '\0')

export const sharedPathReads = {
  *sharedPaths(port) {
    const rows = yield* port.read.all(ALL)
    return rows.map(({ key, node, changedAt, state }) => {
      const shared: SharedState = JSON.parse(state)
      return { key: read(key), node: Number(node), changedAt: Number(changedAt), state: shared }
    })
  },

  *sharedPathsMark(port) {
    const { rows, times } = (yield* port.read.one(MARK))!
    return `${rows} ${times}`
  },
} satisfies Operations<ReadPort>

export const sharedPathWrites = {
  *sharePaths(port, { paths, changed, usual, before }) {
    yield* port.transaction(function* (db) {
      for (const path of paths) yield* db.run(SHARE, ...valuesOf(path))
      for (const path of changed) yield* db.run(CHANGE, ...valuesOf(path))
      if (usual.length > 0) yield* db.run(FORGET, usual.map(stored))
      yield* db.run(FORGET_OLD, Math.round(before))
    })
  },

  *shareAgreed(port, changes, before) {
    return yield* port.transaction(function* (db) {
      yield* db.run(FORGET_OLD, Math.round(before))
      const refused: string[] = []
      for (const change of inOrder(changes)) {
        if ((yield* changeAgreed(db, change)) === 0) refused.push(change.key)
      }
      return refused
    })
  },

  *shareTries(port, { node, now, wanted, until, ended }) {
    const [at, end] = [Math.round(now), Math.round(until)]
    if (ended.length > 0) {
      yield* port.transaction(function* (db) {
        for (const { key, next } of inOrder(ended)) yield* db.run(END, stored(key), node, Math.round(next))
      })
      yield* port.write.run(FORGET_TRIES, at - TRY_KEPT_MS)
    }
    if (wanted.length === 0) return []
    return yield* port.transaction(function* (db) {
      for (const { key, insisted } of inOrder(wanted)) {
        yield* db.run(TAKE, stored(key), node, end, at, insisted ? 1 : 0)
      }
      const rows = yield* db.all(
        TRIES,
        wanted.map(({ key }) => stored(key)),
      )
      return rows.map((row) => ({ key: read(row.key), node: Number(row.node), until: Number(row.until) }))
    })
  },
} satisfies Operations<Port>

function* changeAgreed(db: PortTransaction, { known, state, ...changed }: AgreedChange): PortSteps<number> {
  const was = known === null ? null : ([known.node, Math.round(known.changedAt)] as const)
  if (state === null) return was === null ? 0 : yield* db.run(REMOVE, stored(changed.key), ...was)
  const values = valuesOf({ ...changed, state })
  return yield* was === null ? db.run(ADD, ...values) : db.run(REPLACE, ...values, ...was)
}

function valuesOf({ key, node, changedAt, state }: SharedPath): [string, number, number, string] {
  return [stored(key), node, Math.round(changedAt), JSON.stringify(state)]
}

/** The same on all nodes, so that their transactions never wait for each other in a circle. */
function inOrder<Named extends { key: string }>(changes: readonly Named[]): Named[] {
  return changes.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
