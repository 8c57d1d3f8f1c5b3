/** The rows of the nodes that share a database. */
import type { NodeBeat, NodeDescription } from './node.ts'

export interface NodeStore {
  /**
   * Adds the row of a node, durably. Returns its fencing token, which is higher than any before. Where only one node
   * may use the database, the rows of all others are removed.
   */
  join(node: NodeDescription): Promise<number>
  /**
   * Counts one beat of this node, and stores its machine and its sources once they are known (null: not known). Returns
   * the rows of all nodes after it, its own included; null when this node was given up.
   */
  beat(token: number, machine?: string | null, sources?: readonly string[] | null): Promise<NodeBeat[] | null>
  /** In the order of their tokens. */
  nodes(): Promise<NodeBeat[]>
  /**
   * False: only one node may use the database, and none does, so the node of the list is dead. Always true where nodes
   * share the database, because there their beats show which are alive.
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
