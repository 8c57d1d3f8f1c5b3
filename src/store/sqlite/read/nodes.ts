import type { DatabaseSync } from 'node:sqlite'
import { listOf } from '../../json-columns.ts'
import type { NodeBeat, NodeRole } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all } from '../rows.ts'

export function nodes(db: DatabaseSync): Direct<'nodes'> {
  const select = db.prepare(
    'SELECT token, name, roles, timeout_ms AS timeoutMs, since, machine, beats FROM nodes ORDER BY token',
  )
  return {
    nodes: () =>
      all<Omit<NodeBeat, 'roles'> & { roles: string }>(select).map((row) => {
        return { ...row, roles: listOf<NodeRole>(row.roles) }
      }),
  }
}
