/** The states of paths that nodes have learned. */
import type { SharedPath, SharedState } from '../shared-paths.ts'
import type { Operations, Port, ReadPort } from './port.ts'
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
const FORGET = statement(({ texts }) => `DELETE FROM shared_paths WHERE key IN (${texts('$1')})`)
const FORGET_OLD = statement('DELETE FROM shared_paths WHERE changed_at < $1')

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
  *sharePaths(port, { paths, usual, before }) {
    yield* port.transaction(function* (db) {
      for (const { key, node, changedAt, state } of paths) {
        yield* db.run(SHARE, stored(key), node, Math.round(changedAt), JSON.stringify(state))
      }
      if (usual.length > 0) yield* db.run(FORGET, usual.map(stored))
      yield* db.run(FORGET_OLD, Math.round(before))
    })
  },
} satisfies Operations<Port>
