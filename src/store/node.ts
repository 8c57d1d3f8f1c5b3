/** A node among those that share a database. */

/** What a node does: takes mail in over HTTP, or hands it to its destinations. */
export type NodeRole = 'api' | 'delivery'

export interface NodeDescription {
  /** For people; several nodes may bear the same. */
  name: string
  roles: NodeRole[]
  /** Milliseconds it may be silent before the others take over its work; its own right to send ends a little sooner. */
  timeoutMs: number
  /** Unix ms by its own clock: since when it runs. For people; nothing is decided by it. */
  since: number
  /** Known only of a node whose name is claimed (cluster/name-claim.ts): the place of that claim. Null otherwise. */
  machine: string | null
}

/** A node's row: the node is in service, and holds its leases, as long as it is there. */
export interface NodeBeat extends NodeDescription {
  /** Fencing token of what it has leased. */
  token: number
  /** Rises while it lives. How long ago it last rose each observer knows by its own clock alone. */
  beats: number
}
