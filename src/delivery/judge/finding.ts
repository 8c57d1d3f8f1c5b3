/** The party at fault for an answer, and the consequences. */
import { TROUBLE_KINDS, type TroubleKind } from '../../email/trouble-kind.ts'

export type Finding =
  /** The recipient's: the address does not exist, and will not. */
  | 'dead-address'
  /**
   * The recipient's: the server refuses this recipient for a reason that concerns only the recipient (it takes no mail
   * from us, say).
   */
  | 'recipient'
  /** The recipient's, for now: its mailbox is full or gets too much mail. Another server would say the same. */
  | 'mailbox'
  /** The message's: its content, or its sender under somebody's policy. */
  | 'message'
  /** The server's: it lacks what this message needs (SMTPUTF8, 8BITMIME, room for its size). */
  | 'unsuited'
  /** The server's: it asks us to wait, by greylisting or any other 4yz for a recipient or a message. */
  | 'patience'
  /** The server's: it is broken, cannot be reached, or was lost during the session. */
  | 'server'
  /** The server's: it was not asked, because it could not be reached a moment ago. */
  | 'unreachable'
  /** The server's: we open more connections or send more messages than it wants. */
  | 'busy'
  /** The server's: the transaction had more recipients than it takes. */
  | 'crowded'
  /** Ours: the server wants other credentials. */
  | 'credentials'
  /** Ours: relaying, host name, block list, TLS. It concerns all mail that takes this path. */
  | 'path'
  /** Ours: this sending domain may not use this path. */
  | 'sender'
  /** Ours: the proxy of the source fails. */
  | 'source'

interface Consequence {
  /** The recipient bounces, unless another server's answer allows a retry. */
  ends: boolean
  /** The recipient's address goes to the suppression list. */
  suppresses: boolean
  /** Another server is asked at once, if the domain has one. */
  asksNext: boolean
  /** The attempt counts in the retry schedule of a recipient that will be tried again. */
  spends: boolean
}

const consequence = (
  ends: boolean,
  suppresses: boolean,
  asksNext: boolean,
  spends: boolean,
): Consequence => ({
  ends,
  suppresses,
  asksNext,
  spends,
})

export const CONSEQUENCES: Readonly<Record<Finding, Consequence>> = {
  //                         ends, suppresses, asksNext, spends
  'dead-address': consequence(true, true, false, true),
  recipient: consequence(true, false, false, true),
  mailbox: consequence(false, false, false, true),
  message: consequence(true, false, false, true),
  unsuited: consequence(true, false, true, true),
  patience: consequence(false, false, true, true),
  server: consequence(false, false, true, true),
  unreachable: consequence(false, false, true, false),
  busy: consequence(false, false, true, false),
  crowded: consequence(false, false, true, true),
  credentials: consequence(false, false, true, false),
  path: consequence(false, false, true, false),
  sender: consequence(false, false, true, false),
  source: consequence(false, false, true, false),
}

/**
 * The order in which findings about one recipient count: what a server said about the recipient comes before what it
 * said about us, and that before what it said about itself. A finding that ends the recipient counts only when there is
 * no other.
 */
export const FINDING_PRECEDENCE: readonly Finding[] = [
  'patience',
  'mailbox',
  'crowded',
  'credentials',
  'sender',
  'path',
  'source',
  'busy',
  'server',
  'unreachable',
  'dead-address',
  'recipient',
  'message',
  'unsuited',
]

/** Whether the path itself is in trouble. If so, the path is closed, and single tries find out when it is clear. */
export function isTrouble(finding: Finding): finding is TroubleKind {
  return TROUBLE_KINDS.some((each) => each === finding)
}
