import { listOf } from '../json-columns.ts'
import type { NodeBeat, NodeRole, NodeStore } from '../store.ts'
import type { StoreParts } from './parts.ts'

interface NodeRow extends Omit<NodeBeat, 'roles'> {
  roles: string
}

/**
 * A failover to a server that lacks the last commits may set the counter back. The twenty random bits below it keep two
 * nodes from getting the same token then.
 */
const JOIN = {
  name: 'join',
  text: `
WITH next AS (
  UPDATE counters SET value = value + 1 WHERE name = 'lease'
  RETURNING (value << 20) | floor(random() * (1 << 20))::int8 AS value
)
INSERT INTO nodes (token, name, roles, timeout_ms, since, machine) SELECT value, $1, $2, $3, $4, $5 FROM next RETURNING token`,
}
const COLUMNS = 'token, name, roles, timeout_ms AS "timeoutMs", since, machine'
const ALL = { name: 'nodes', text: `SELECT ${COLUMNS}, beats FROM nodes ORDER BY token` }
/** The rows are those before the statement: this node's new beat is filled in. */
const BEAT = {
  name: 'beat',
  text: `
WITH beaten AS (UPDATE nodes SET beats = beats + 1, machine = coalesce($2, machine) WHERE token = $1 RETURNING beats)
SELECT ${COLUMNS}, CASE WHEN token = $1 THEN (SELECT beats FROM beaten) ELSE beats END AS beats
FROM nodes WHERE EXISTS (SELECT 1 FROM beaten) ORDER BY token`,
}
const GIVE_UP = { name: 'give-up', text: 'DELETE FROM nodes WHERE token = $1 AND beats = $2 RETURNING token' }
const LEAVE = { name: 'leave', text: 'DELETE FROM nodes WHERE token = $1' }

/**
 * The nodes in service. A node's row is its lease. These statements use a connection of their own, so that a node whose
 * other connections are all busy does not look dead.
 */
export function nodes({ database, changes }: StoreParts): NodeStore {
  return {
    async join({ name, roles, timeoutMs, since, machine }) {
      const values = [name, JSON.stringify(roles), Math.round(timeoutMs), Math.round(since), machine]
      const [row] = await database.vital<{ token: number }>(JOIN, values)
      return row!.token
    },

    async beat(token, machine = null) {
      const rows = await database.vital<NodeRow>(BEAT, [token, machine])
      return rows.length === 0 ? null : rows.map(nodeOf)
    },

    async nodes() {
      return (await database.read<NodeRow>(ALL)).map(nodeOf)
    },

    async giveUp(token, beats) {
      return (await database.vital(GIVE_UP, [token, beats])).length > 0
    },

    async leave(token) {
      await database.vital(LEAVE, [token])
      changes.queueChanged()
    },
  }
}

function nodeOf(row: NodeRow): NodeBeat {
  return { ...row, roles: listOf<NodeRole>(row.roles) }
}
