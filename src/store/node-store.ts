/** The rows of the nodes that share a database. */
import type { NodeBeat, NodeDescription } from './node.ts'

export interface NodeStore {
  /**
   * Enters a node. Returns its fencing token, higher than any before; durable. Where one node alone may use the
   * database, the rows of all others go.
   */
  join(node: NodeDescription): Promise<number>
  /**
   * Counts one beat of this node, and enters its machine once that is known. Every node's row after it, its own
   * included; null when this one was given up.
   */
  beat(token: number, machine?: string | null): Promise<NodeBeat[] | null>
  /** By token. */
  nodes(): Promise<NodeBeat[]>
  /** Removes the row of a node that has not beaten since it had `beats`. False when it has, or is gone already. */
  giveUp(token: number, beats: number): Promise<boolean>
  /**
   * Removes the node's own row. What it still has leased is for `recover`. The others are told `queue`: what it has
   * given back by `record` before is theirs.
   */
  leave(token: number): Promise<void>
}
