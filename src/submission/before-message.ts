/** The DATA command up to the 354 reply. */
import { endsSession, type SessionContext } from './context.ts'
import { CommandRefusal, reply } from './reply.ts'
import type { MailTransaction } from './transaction.ts'

/** Throws CommandRefusal. */
export function assertData(rest: string, { recipients }: MailTransaction): void {
  if (rest !== '') throw new CommandRefusal(reply(501, '5.5.4', 'DATA takes no parameters'))
  // RFC 5321 3.3 also allows 503 here; 554 says what is missing.
  if (recipients.size === 0) throw new CommandRefusal(reply(554, '5.5.1', 'There is no valid recipient'))
}

/** The result of the work before 354. A refusal ends the session of a client that has not waited for 354. */
export async function beforeMessage<Result>(
  context: SessionContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (endsSession(error) || !context.channel.more) throw error
    // RFC 2920 3.1: a client has to wait for 354. This client has sent its message without waiting, and the lines of
    // the message must not be run as commands.
    throw new CommandRefusal(context.asRefused(error).reply, { last: true })
  }
}
