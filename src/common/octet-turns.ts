/**
 * Turns of this thread for untrusted octets. Their framing is work before anything is known of them: records of one
 * octet, new keys with each record. So once a turn of the event loop is long, the rest waits for the next one, where
 * parties take turns.
 */
import { turn } from './long-turn.ts'
import { LoopTurns } from './loop-turns.ts'

class OctetTurns extends LoopTurns {
  constructor() {
    super(() => !turn.isLong)
  }

  /** True when octets must wait: the turn is long, or others already wait. */
  get areOver(): boolean {
    return this.length > 0 || turn.isLong
  }
}

export const octetTurns = new OctetTurns()
