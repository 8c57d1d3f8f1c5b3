/** The states of paths that delivering nodes have learned: they outlive a node, and all nodes know them. */

export interface SharedState {
  /** Nothing is sent, apart from single tries. Null: the path is open. */
  closed: ClosedPath | null
  /** Sessions and messages a minute that the servers seem to take from a node; null: as many as the limits allow. */
  sessions: number | null
  messagesPerMinute: number | null
}

export interface ClosedPath {
  /** Key of the path. */
  path: string
  /** Id of the only sending domain that is concerned; null: all are. */
  domainId: string | null
  kind: string
  message: string
  list: { name: string; removal: string } | null
  /** Unix ms. */
  since: number
  probeAt: number
}

export interface SharedPath {
  /** Key of the path, or of a sending domain's part of it. */
  key: string
  /** Token of the node that has learnt it last. */
  node: number
  /** Unix ms, by the clock of that node. */
  changedAt: number
  state: SharedState
}

export interface SharedPathStore {
  /** Replaces what is known of these paths, and forgets paths that are as usual, or not changed since `before`. */
  sharePaths(change: { paths: SharedPath[]; usual: string[]; before: number }): Promise<void>
  sharedPaths(): Promise<SharedPath[]>
  /** Differs after every change. */
  sharedPathsMark(): Promise<string>
}
