/** Opens a session with a server as delivery does, and sends nothing in it. */
import { SmtpConnection } from '../smtp/connection.ts'
import { Dialogue } from '../smtp/dialogue.ts'
import { open } from '../smtp/opening.ts'
import { replyText } from '../smtp/reply.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts } from '../smtp/timeouts.ts'

/** Ms. RFC 5321 4.5.3.2 gives servers five minutes, but here a person is waiting. */
const TIMEOUTS = {
  ...defaultTimeouts,
  connect: 10_000,
  opening: 10_000,
  greeting: 10_000,
  quit: 1_000,
}

/** The greeting of a server (RFC 5321 4.3.1), whether it takes mail or not. Rejects with SmtpError. */
export async function greetingOf(target: Omit<SmtpTarget, 'tls' | 'credentials'>): Promise<string> {
  return await knock({ ...target, tls: 'opportunistic', credentials: null }, async (connection) => {
    const failure = await connection.opened()
    if (failure !== null) throw failure
    const { replies, error } = await connection.exchange([], ['greeting'])
    const [greeting] = replies
    if (greeting === undefined) throw error
    return replyText(greeting)
  })
}

/** Opens a session up to the point where it takes MAIL: greeting, EHLO, TLS, login. Rejects with SmtpError. */
export async function openAndQuit(target: SmtpTarget): Promise<void> {
  await knock(target, async (connection) => void (await open(connection, target)))
}

async function knock<Result>(
  target: SmtpTarget,
  speak: (connection: SmtpConnection) => Promise<Result>,
): Promise<Result> {
  const connection = new SmtpConnection({ ...target, timeouts: TIMEOUTS }, new Dialogue())
  connection.deadline.limit(TIMEOUTS.opening)
  try {
    return await speak(connection)
  } finally {
    connection.deadline.liftLimit()
    if (connection.failure === null) await connection.quit()
    else connection.destroy()
  }
}
