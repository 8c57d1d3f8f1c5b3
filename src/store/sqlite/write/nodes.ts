import type { NodeBeat, NodeDescription } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { NodeReader } from '../read/nodes.ts'
import { one } from '../rows.ts'

/** Which nodes are in service. A node's row is its lease: what it has leased is its own as long as the row is there. */
export class Nodes extends OnConnection {
  readonly #reader = new NodeReader(this.db)
  readonly #nextToken = this.db.prepare(
    "UPDATE counters SET value = value + 1 WHERE name = 'lease' RETURNING value",
  )
  readonly #insert = this.db.prepare(
    'INSERT INTO nodes (token, name, roles, timeout_ms, since, machine) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #beat = this.db.prepare(
    'UPDATE nodes SET beats = beats + 1, machine = coalesce(?, machine) WHERE token = ?',
  )
  readonly #giveUp = this.db.prepare('DELETE FROM nodes WHERE token = ? AND beats = ?')
  readonly #leave = this.db.prepare('DELETE FROM nodes WHERE token = ?')
  readonly #clear = this.db.prepare('DELETE FROM nodes')

  /** `alone`: nobody else can be using the database, so that all other rows are of processes that have ended. */
  join({ name, roles, timeoutMs, since, machine }: NodeDescription, alone: boolean): number {
    if (alone) this.#clear.run()
    const token = one<{ value: number }>(this.#nextToken)!.value
    this.#insert.run(token, name, JSON.stringify(roles), Math.round(timeoutMs), Math.round(since), machine)
    return token
  }

  beat(token: number, machine: string | null = null): NodeBeat[] | null {
    return this.#beat.run(machine, token).changes === 0 ? null : this.#reader.nodes()
  }

  giveUp(token: number, beats: number): boolean {
    return this.#giveUp.run(token, beats).changes > 0
  }

  leave(token: number): void {
    this.#leave.run(token)
  }
}
