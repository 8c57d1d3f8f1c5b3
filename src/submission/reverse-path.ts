/** The sender in MAIL, which is checked and then not used. */
import { clip } from '../common/clip.ts'
import { CommandRefusal, reply } from './reply.ts'

/** Printable, and without spaces outside of quotes; empty in MAIL FROM:<>. */
const REVERSE_PATH = /^(?:"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"|[^"\x00-\x20\x7f])*$/

/**
 * Emails leave with the address of From as their sender, not with this one. Relays pass on senders that no mail can
 * reach, such as root@web1: to refuse them would bounce the message for nothing. Throws CommandRefusal.
 */
export function assertReversePath(path: string): void {
  if (REVERSE_PATH.test(path)) return
  throw new CommandRefusal(reply(553, '5.1.7', `The sender's address cannot be used: ${clip(path)}`))
}
