/** The rows of the nodes that share a database. */
import type { NodeBeat, NodeDescription } from './node.ts'

export interface NodeStore {
  /**
   * Enters a node. Returns its fencing token, higher than any before; durable. Where only one node may use the
   * database, the rows of all others are removed.
   */
  join(node: NodeDescription): Promise<number>
  /**
   * Counts one beat of this node, and enters its machine once that is known, and its sources (null: not known). Returns
   * the rows of all nodes after it, its own included; null when this node was given up.
   */
  beat(token: number, machine?: string | null, sources?: readonly string[] | null): Promise<NodeBeat[] | null>
  /** In the order of their tokens. */
  nodes(): Promise<NodeBeat[]>
  /**
   * False when a database that only one node may use is used by none, so that the node of the list is dead. True where
   * nodes share the database: there their beats show it.
   */
  isServed(): Promise<boolean>
  /**
   * Removes the row of a node that has not beaten since it had `beats`. False when it has beaten, or is gone already.
   */
  giveUp(token: number, beats: number): Promise<boolean>
  /**
   * Removes the node's own row. Its remaining leases are left to `recover`. The other nodes get the signal `queue`:
   * they may take what it gave back by `record` before.
   */
  leave(token: number): Promise<void>
}
