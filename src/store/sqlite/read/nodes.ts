import { listOf } from '../../json-columns.ts'
import type { NodeBeat, NodeRole } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { all } from '../rows.ts'

export class NodeReader extends OnConnection {
  readonly #nodes = this.db.prepare(
    'SELECT token, name, roles, timeout_ms AS timeoutMs, since, machine, beats FROM nodes ORDER BY token',
  )

  nodes(): NodeBeat[] {
    return all<Omit<NodeBeat, 'roles'> & { roles: string }>(this.#nodes).map((row) => {
      return { ...row, roles: listOf<NodeRole>(row.roles) }
    })
  }
}
