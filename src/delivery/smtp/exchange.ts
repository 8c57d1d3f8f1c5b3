/** Commands, or a message, and the replies to them. */
import type { Dialogue } from './dialogue.ts'
import type { SmtpError, Stage } from './error.ts'
import type { Reply } from './reply.ts'

/** The result of a group of commands. When there is an error, fewer replies than commands have come. */
export interface ExchangeResult {
  replies: Reply[]
  error: SmtpError | null
}

/** Commands, or a message, that the server has not fully answered yet. */
export interface SmtpExchange {
  stages: readonly Stage[]
  replies: Reply[]
  /** True: the commands were sent behind a message that had no answer yet. */
  isBehind: boolean
  /** Records the exchange from the moment when its turn comes. */
  dialogue: Dialogue | null
  /** Set for commands that went out while nothing else was under way. */
  sentAt?: number
  resolve(): void
}

/** The result of sending the message text. */
export interface HandoverResult extends ExchangeResult {
  /** The final dot has left for the network, so the server may have the message, whatever happens from here on. */
  dotSent: boolean
  /** `handOver` refused, so the transaction was abandoned before the dot. */
  abandoned: boolean
}
