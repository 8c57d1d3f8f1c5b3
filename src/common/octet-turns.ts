/**
 * Turns for untrusted octets. Decoding their framing is work before anything is known of the client: it may send
 * records of one octet, or new keys with each record. So once a turn of the event loop is long, the rest waits for the
 * next one, where parties take turns.
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
