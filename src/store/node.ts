/** A node among those that share a database. */

/** A task of a node: it accepts mail over HTTP, or delivers it. */
export type NodeRole = 'api' | 'delivery'

export interface NodeDescription {
  /** Shown to people. Several nodes may have the same name. */
  name: string
  roles: NodeRole[]
  /**
   * Milliseconds that it may be silent before the others take over its work; its own right to send ends a little
   * sooner.
   */
  timeoutMs: number
  /** Unix ms by its own clock at which it started. For people; nothing is decided by it. */
  since: number
  /** The place of the claim on its name (cluster/name-claim.ts); null when the name is not claimed. */
  machine: string | null
  /** The names of the sources that mail of this node can leave from (delivery/path/source.ts); absent: not known. */
  sources?: readonly string[]
}

/** A node's row: the node is in service, and holds its leases, as long as it is there. */
export interface NodeBeat extends NodeDescription {
  /** Fencing token of its leases. */
  token: number
  /** Rises while the node lives. Each observer measures by its own clock alone how long ago it last rose. */
  beats: number
}
