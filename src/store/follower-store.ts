/** Durable followers of the log of events: a name, its cursor, and the one node that runs it. */
export interface FollowerStore {
  /**
   * Assigns the follower to the node with this token, unless another node in service has it: then null. Otherwise
   * returns the number of the last event that the follower has processed; `start` for a name that is new.
   */
  takeFollower(name: string, token: number, start: number): Promise<number | null>
  /** If the node with this token has the follower, releases it, so that any node may take it. */
  leaveFollower(name: string, token: number): Promise<void>
  /**
   * Records that the follower has processed everything up to `to`. False when it is no longer the node's, or not at
   * `from`.
   */
  advanceFollower(name: string, token: number, from: number, to: number): Promise<boolean>
  /** The cursor of a follower; 0 for a name that is unknown. */
  followerCursor(name: string): Promise<number>
}

/** One step of a follower on a node: the events after `from`, up to `to`. */
export interface FollowerStep {
  name: string
  token: number
  from: number
  to: number
}
