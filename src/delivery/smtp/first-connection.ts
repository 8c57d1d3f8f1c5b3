import { setTimeout as delay } from 'node:timers/promises'
import type { SmtpConnection } from './connection.ts'
import type { Dialogue } from './dialogue.ts'
import type { SmtpTarget } from './target.ts'

/** Milliseconds that the first address is alone (RFC 8305 5). */
const ALONE_MS = 250

/** An address of the other family, which is connected to as well when the first address is slow. */
export interface Fallback {
  target: SmtpTarget
  /** Its connection was the first to open, or the last to fail. */
  used: boolean
}

/**
 * A connection to the target, or to its fallback, whichever opens first (RFC 8305); the other one is given up. If
 * neither opens, the result is the one that failed last.
 */
export async function firstConnection(
  target: SmtpTarget,
  fallback: Fallback,
  begin: (target: SmtpTarget) => SmtpConnection,
  dialogue: Dialogue,
): Promise<SmtpConnection> {
  const first = begin(target)
  const over = first.opened().then(() => true)
  if (await Promise.race([over, delay(ALONE_MS, false, { ref: false })])) return first
  dialogue.note(`no connection to ${first.server} yet, trying ${fallback.target.address} as well`)
  const second = begin(fallback.target)
  let failedLast = first
  const ifOpen = async (connection: SmtpConnection) => {
    const error = await connection.opened()
    if (error === null) return connection
    failedLast = connection
    throw error
  }
  const winner = await Promise.any([ifOpen(first), ifOpen(second)]).catch(() => failedLast)
  fallback.used = winner === second
  const loser = winner === first ? second : first
  loser.dialogue = null
  loser.destroy()
  return winner
}
