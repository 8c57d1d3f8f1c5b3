import type { DatabaseSync } from 'node:sqlite'
import type { Writes } from '../protocol.ts'
import * as read from '../read/nodes.ts'
import { one } from '../rows.ts'

/** The nodes in service. A node's row is its lease: its leased recipients are its own as long as the row exists. */
export function nodes(db: DatabaseSync): Pick<Writes, 'join' | 'beat' | 'giveUp' | 'leave'> {
  const all = read.nodes(db)
  const nextToken = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'lease' RETURNING value")
  const insert = db.prepare(
    'INSERT INTO nodes (token, name, roles, timeout_ms, since, machine) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const beat = db.prepare(
    'UPDATE nodes SET beats = beats + 1, machine = coalesce(?, machine) WHERE token = ?',
  )
  const giveUp = db.prepare('DELETE FROM nodes WHERE token = ? AND beats = ?')
  const leave = db.prepare('DELETE FROM nodes WHERE token = ?')
  const clear = db.prepare('DELETE FROM nodes')
  return {
    join({ name, roles, timeoutMs, since, machine }, alone) {
      if (alone) clear.run()
      const token = one<{ value: number }>(nextToken)!.value
      insert.run(token, name, JSON.stringify(roles), Math.round(timeoutMs), Math.round(since), machine)
      return token
    },
    beat: (token, machine = null) => (beat.run(machine, token).changes === 0 ? null : all.nodes()),
    giveUp: (token, beats) => giveUp.run(token, beats).changes > 0,
    leave: (token) => void leave.run(token),
  }
}
