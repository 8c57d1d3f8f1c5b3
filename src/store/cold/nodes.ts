/** The nodes in service. A node's row is its lease: its leased recipients are its own as long as the row exists. */
import { listOf } from '../json-columns.ts'
import type { NodeBeat, NodeDescription, NodeRole } from '../node.ts'
import type { Operations, Port, PortSteps, Queries, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type NodeRow = Omit<NodeBeat, 'roles' | 'sources'> & { roles: string; sources: string | null }

/**
 * On PostgreSQL, a failover to a server that lacks the last commits may set the counter back. Twenty random bits below
 * it keep two nodes from getting the same token then.
 */
const NEXT_TOKEN = statement<{ token: number }>(
  ({ engine }) => `UPDATE counters SET value = value + 1 WHERE name = 'lease'
    RETURNING ${engine === 'postgres' ? '(value << 20) | floor(random() * (1 << 20))::int8' : 'value'} AS token`,
)
const ADD = statement(
  'INSERT INTO nodes (token, name, roles, timeout_ms, since, machine, sources) VALUES ($1, $2, $3, $4, $5, $6, $7)',
)
const ALL = statement<NodeRow>(
  `SELECT token, name, roles, timeout_ms AS "timeoutMs", since, machine, sources, beats FROM nodes ORDER BY token`,
  'nodes',
)
const BEAT = statement(
  'UPDATE nodes SET beats = beats + 1, machine = coalesce($2, machine), sources = $3 WHERE token = $1',
  'beat',
)
const GIVE_UP = statement('DELETE FROM nodes WHERE token = $1 AND beats = $2')
const LEAVE = statement('DELETE FROM nodes WHERE token = $1')
const CLEAR = statement('DELETE FROM nodes')

export const nodeReads = {
  *nodes(port) {
    return yield* allNodes(port.read)
  },
} satisfies Operations<ReadPort>

export const nodeWrites = {
  /** `alone`: no other node may use the database, and the rows of all others are removed. */
  *join({ vital }, { name, roles, timeoutMs, since, machine, sources }: NodeDescription, alone = false) {
    if (alone) yield* vital.run(CLEAR)
    const { token } = (yield* vital.one(NEXT_TOKEN))!
    yield* vital.run(
      ADD,
      token,
      name,
      JSON.stringify(roles),
      Math.round(timeoutMs),
      Math.round(since),
      machine,
      sources === undefined ? null : JSON.stringify(sources),
    )
    return token
  },

  *beat({ vital }, token, machine = null, sources = null) {
    const names = sources === null ? null : JSON.stringify(sources)
    if ((yield* vital.run(BEAT, token, machine, names)) === 0) return null
    const all = yield* allNodes(vital)
    return all.some((node) => node.token === token) ? all : null
  },

  *giveUp({ vital }, token, beats) {
    return (yield* vital.run(GIVE_UP, token, beats)) > 0
  },

  // biome-ignore lint/correctness/useYield: nothing is written.
  *announceWork(port) {
    port.changed('queue')
  },

  *leave(port, token) {
    yield* port.vital.run(LEAVE, token)
    port.changed('queue')
  },
} satisfies Operations<Port>

function* allNodes(db: Queries): PortSteps<NodeBeat[]> {
  const rows = yield* db.all(ALL)
  return rows.map(({ sources, ...row }) => ({
    ...row,
    roles: listOf<NodeRole>(row.roles),
    ...(sources !== null && { sources: listOf<string>(sources) }),
  }))
}
