/** Messages handed in over SMTP, with AUTH (RFC 6409) where the listener asks for it: one session each. */
import net from 'node:net'
import { ANSWER_MS, type Answer, type Outcome } from './answer.ts'
import { type Mail, recipientsOf } from './mail.ts'

export interface SmtpSubmission {
  sender: string
  recipients: string[]
  /** Lines end in CRLF. */
  message: Buffer
  /** The initial response of AUTH PLAIN (RFC 4616); null: the listener knows no login. */
  login: string | null
  /** What the reply to an accepted message looks like. */
  accepted: RegExp
}

const QUEUED = /^250 2\.0\.0 Queued as [0-9a-f-]{36}$/

export function smtpSubmissionOf(mail: Mail, token: string): SmtpSubmission {
  const sender = /<(.*)>/.exec(mail.from)![1]!
  const login = Buffer.from(`\0orders\0${token}`).toString('base64')
  return { sender, recipients: recipientsOf(mail), message: mail.mime!, login, accepted: QUEUED }
}

/** `hangUpAfter`: ms after which the client goes away; null: it stays. */
export async function sendOverSmtp(
  port: number,
  { sender, recipients, message, login, accepted }: SmtpSubmission,
  hangUpAfter: number | null,
): Promise<Outcome> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  const timers = [setTimeout(() => socket.destroy(), ANSWER_MS)]
  if (hangUpAfter !== null) timers.push(setTimeout(() => socket.destroy(), hangUpAfter))
  /** From the final dot on nobody knows but the server. */
  let whole = false
  try {
    const replies = repliesOf(socket)
    const ask = async (command: string | null, wanted: number): Promise<Answer | null> => {
      if (command !== null) socket.write(`${command}\r\n`)
      const { value } = await replies.next()
      if (value === undefined) throw new Error('the session is over')
      const status = Number(value.slice(0, 3))
      if (status === wanted) return null
      return { status, body: value, accepted: false, temporary: status >= 400 && status < 500 }
    }
    const steps: [string | null, number][] = [
      [null, 220],
      ['EHLO load.chaos.test', 250],
      ...(login === null ? [] : [[`AUTH PLAIN ${login}`, 235] as [string, number]]),
      [`MAIL FROM:<${sender}>`, 250],
      ...recipients.map((recipient): [string, number] => [`RCPT TO:<${recipient}>`, 250]),
      ['DATA', 354],
    ]
    for (const [command, wanted] of steps) {
      const refused = await ask(command, wanted)
      if (refused !== null) return refused
    }
    whole = true
    socket.write(dotStuffed(message))
    const { value } = await replies.next()
    if (value === undefined) return 'lost'
    const status = Number(value.slice(0, 3))
    socket.end('QUIT\r\n')
    return { status, body: value, accepted: accepted.test(value), temporary: status >= 400 && status < 500 }
  } catch {
    return whole ? 'lost' : 'never'
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // What was said last is still sent.
    socket.destroySoon()
  }
}

/** RFC 5321 4.5.2, with the end of the message. */
function dotStuffed(message: Buffer): Buffer {
  return Buffer.from(`${message.toString('latin1').replace(/^\./gm, '..')}.\r\n`, 'latin1')
}

/** The last lines of replies, one after the other. */
async function* repliesOf(socket: net.Socket): AsyncGenerator<string, undefined> {
  let heard = ''
  for await (const chunk of socket.setEncoding('latin1')) {
    heard += chunk
    for (let end = heard.indexOf('\r\n'); end >= 0; end = heard.indexOf('\r\n')) {
      const line = heard.slice(0, end)
      heard = heard.slice(end + 2)
      if (line[3] !== '-') yield line
    }
  }
  return undefined
}
