import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { DataOctets } from '../../src/submission/data.ts'
import { Input, InputEndError, LineError } from '../../src/submission/input.ts'
import { assert, assertSame, type FuzzTarget, words } from '../target.ts'

/** Ms to wait for what is there. */
const PATIENCE = 10_000
/** After this one a message comes. */
const DATA = 'DATA'

interface Heard {
  /** Lines, and messages with their dots taken away. */
  said: string[]
  /** What is said next cannot be read. */
  broken: boolean
}

/**
 * A session is the same lines and the same messages however it is cut on its way, and those that smtp-server finds in
 * it, up to the first line that does not end with CR LF. The first octet says how it is cut.
 */
export const smtpSession: FuzzTarget = {
  name: 'smtp-session',
  about: 'sessions of clients that hand mail in over SMTP, beside smtp-server',
  encoding: 'latin1',
  seeds: [
    '1EHLO x\r\nDATA\r\nSubject: x\r\n\r\nx\r\n.\r\nQUIT\r\n',
    '3DATA\r\n.\r\nRSET\r\nDATA\r\n..\r\n...x\r\n.\r\n',
    '2DATA\r\nx\n.\r\nMAIL FROM:<a@b>\r\n.\r\nNOOP\r\n',
    '5NOOP\nNOOP\r\n',
    '4DATA\r\n\r\n.\r\nDATA\r\n.\r\n',
  ],
  tokens: words('\r \n \r\n . .. \r\n.\r\n DATA DATA\r\n NOOP\r\n \n.\n \r\n.\n \n.\r\n \r.\r \0 \xff'),
  async run(input) {
    const [cut = 1] = input
    const octets = input.subarray(1)
    const whole = await ours(octets, octets.length || 1)
    assertSame('what is said depends on how it was cut', await ours(octets, (cut % 61) + 1), whole)
    const others = await theirs(octets)
    const until = whole.broken ? whole.said.length : others.length
    assertSame(
      'smtp-server hears something else',
      whole.said.map(comparable),
      others.slice(0, until).map(comparable),
    )
  },
}

async function ours(octets: Buffer, piece: number): Promise<Heard> {
  const client = new PassThrough()
  const input = new Input(client as unknown as Socket)
  for (let at = 0; at < octets.length; at += piece) client.write(octets.subarray(at, at + piece))
  client.end()
  const said: string[] = []
  try {
    for (;;) {
      const line = (await input.line(PATIENCE)).toString('latin1')
      said.push(line)
      if (line === DATA) said.push(await message(input))
    }
  } catch (error) {
    if (error instanceof InputEndError || error instanceof LineError)
      return { said, broken: error instanceof LineError }
    throw error
  }
}

async function message(input: Input): Promise<string> {
  const data = new DataOctets()
  let text = ''
  await input.pieces(
    (piece) =>
      data.readPiece(piece, (part) => {
        text += part.toString('latin1')
      }),
    PATIENCE,
  )
  return `message ${text}`
}

async function theirs(octets: Buffer): Promise<string[]> {
  const said: string[] = []
  const stream = new SMTPStream()
  // It refuses a line of more than 16 KB; ours is refused long before that, and what follows is not compared.
  let refusal: Error | null = null
  stream.on('error', (error: Error) => {
    refusal = error
  })
  stream.oncommand = (command, next) => {
    const line = command.toString('latin1')
    said.push(line)
    if (line !== DATA) next?.()
    else {
      let text = ''
      const data = stream.startDataMode()
      data.on('data', (part: Buffer) => {
        text += part.toString('latin1')
      })
      data.on('end', () => {
        said.push(`message ${text}`)
        stream.continue()
      })
      // Within `continue` it would overlook that this message has ended as well.
      setImmediate(() => next?.())
    }
  }
  await new Promise<void>((resolve) => stream.write(octets, () => resolve()))
  assert(refusal === null || octets.length > 16_384, 'smtp-server refuses a line it has room for')
  return said
}

/**
 * It takes a dot away only where another one follows, where RFC 5321 4.5.2 takes each that begins a line. A message with
 * a CR or LF by itself is refused, and only its end matters.
 */
function comparable(said: string): string {
  if (said.startsWith('message ') && /\r(?!\n)|(?<!\r)\n/.test(said)) return 'message with a CR or LF alone'
  return said.startsWith('message ') ? said.replace(/(?<=^message |\n)\.(?!\.)/g, '') : said
}
