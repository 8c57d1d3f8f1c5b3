/** Whose fault an answer is, and what follows from it. */

export type Finding =
  /** The recipient's: nobody is there, and nobody will be. */
  | 'dead-address'
  /** The recipient's: refused for a reason of its own (may not be written to by us, say). */
  | 'recipient'
  /** The recipient's, for now: its mailbox is full or gets too much. Another server would say the same. */
  | 'mailbox'
  /** The message's: its content, or its sender by somebody's policy. */
  | 'message'
  /** The server's: it lacks what this message needs (SMTPUTF8, 8BITMIME, room for its size). */
  | 'unsuited'
  /** The server's: wait, says greylisting and whatever else has 4yz for a recipient or a message. */
  | 'patience'
  /** The server's: it is broken, cannot be reached, or was lost on the way. */
  | 'server'
  /** The server's: it was not asked, as it could not be reached a moment ago. */
  | 'unreachable'
  /** The server's: more connections or messages than it wants from us. */
  | 'busy'
  /** The server's: more recipients than it takes in one transaction. */
  | 'crowded'
  /** Ours: the server wants other credentials. */
  | 'credentials'
  /** Ours: relaying, host name, block list, TLS. Concerns all mail that takes this path. */
  | 'path'
  /** Ours: this sending domain may not use this path. */
  | 'sender'

export interface Consequence {
  /** The recipient bounces, if no server said anything better. */
  ends: boolean
  /** Its address goes to the suppression list. */
  suppresses: boolean
  /** Another server is asked at once, if the domain has one. */
  asksNext: boolean
  /** What is to come again has spent an attempt of its schedule. */
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
}

/**
 * Which of several findings about one recipient tells most about it: what a server said about the recipient, before
 * what it said about us, before what it said about itself. What ends the recipient counts only where nothing else was
 * said.
 */
export const TELLING: readonly Finding[] = [
  'patience',
  'mailbox',
  'crowded',
  'credentials',
  'sender',
  'path',
  'busy',
  'server',
  'unreachable',
  'dead-address',
  'recipient',
  'message',
  'unsuited',
]

/** The path our mail takes is in trouble: nothing more is to be sent along it until it has been tried again. */
export function hinders(finding: Finding): boolean {
  return HINDRANCES.has(finding)
}

export type Hindrance = 'credentials' | 'path' | 'sender' | 'busy' | 'unreachable'

const HINDRANCES: ReadonlySet<Finding> = new Set<Hindrance>([
  'credentials',
  'path',
  'sender',
  'busy',
  'unreachable',
])
