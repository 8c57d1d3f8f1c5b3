/** Who follows the log of events durably: a name, how far it has come, and the one node that does it. */
export interface FollowerStore {
  /**
   * Makes the follower the node's that holds this token, unless another node in service has it: null then. Otherwise
   * the number of the last event that it has dealt with; `start` when nobody has followed under this name before.
   */
  takeFollower(name: string, token: number, start: number): Promise<number | null>
  /** It has dealt with everything up to `to`. False when it is no longer the node's, or not at `from`. */
  advanceFollower(name: string, token: number, from: number, to: number): Promise<boolean>
  /** How far a follower has come; 0 when nobody has followed under this name. */
  followerCursor(name: string): Promise<number>
}

/** What a node deals with of a follower: the events behind `from`, up to `to`. */
export interface Advance {
  name: string
  token: number
  from: number
  to: number
}
