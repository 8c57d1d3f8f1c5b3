/** Every verb of SMTP with the costliest lines that its limits allow, pipelined by many sessions at once. */
import { counted, type Target, written } from './framing.ts'

const SESSIONS = 20
/** Octets that each session sends in one piece. */
const OCTETS = 250_000
/** Octets of a line. */
const LINE = 2_040

const line = (text: string) => `${text.slice(0, LINE)}\r\n`
const repeated = (lines: string) => lines.repeat(Math.ceil(OCTETS / lines.length))
const parameters = Array.from({ length: 300 }, (_, index) => `A${index}=b`).join(' ')
const accents = '\u00e9'.repeat(20)

/** Behind the login: lines of the verb. Another kind of cost of the same verb is one more. */
export const SMTP_ROWS: Readonly<Record<string, readonly string[]>> = {
  EHLO: [repeated(line(`EHLO ${'x'.repeat(LINE)}`))],
  HELO: [repeated(line(`HELO ${'x'.repeat(LINE)}`))],
  STARTTLS: [repeated('STARTTLS x\r\n')],
  AUTH: [repeated(line(`AUTH PLAIN ${'A'.repeat(LINE)}`)), repeated('AUTH LOGIN\r\nAAAA\r\n')],
  MAIL: [
    repeated(line(`MAIL FROM:<> ${parameters}`)),
    repeated(`MAIL FROM:<"${'\\a'.repeat(500)}"@${'a.'.repeat(100)}b>\r\nRSET\r\n`),
  ],
  RCPT: [
    `MAIL FROM:<> SMTPUTF8\r\n${repeated(`RCPT TO:<"${'\\"'.repeat(990)}"@a.b>\r\n`)}`,
    `MAIL FROM:<> SMTPUTF8\r\n${repeated(`RCPT TO:<a@${accents}.${accents}.${accents}.x>\r\n`)}`,
    `MAIL FROM:<>\r\n${repeated(line(`RCPT TO:<${'('.repeat(1_000)}a@b.c>`))}`,
    `MAIL FROM:<>\r\n${Array.from({ length: 8_000 }, (_, index) => `RCPT TO:<r${index}@d.example>\r\n`).join('')}`,
  ],
  DATA: [
    `MAIL FROM:<>\r\nRCPT TO:<a@sink.example>\r\nDATA\r\n${repeated('..\r\n').repeat(8)}.\r\n`,
    `MAIL FROM:<>\r\nRCPT TO:<a@sink.example>\r\nDATA\r\n${repeated('\r\n').repeat(8)}.\r\n`,
    `MAIL FROM:<>\r\nRCPT TO:<a@sink.example>\r\nDATA\r\n${repeated('X: (((=?utf-8?q?=28?=\r\n').repeat(8)}\r\n.\r\n`,
  ],
  BDAT: [`BDAT ${OCTETS}\r\n${'x'.repeat(OCTETS)}`],
  RSET: [repeated('MAIL FROM:<>\r\nRSET\r\n')],
  NOOP: [repeated(line(`NOOP ${'x'.repeat(LINE)}`)), repeated('NOOP\r\n')],
  HELP: [repeated('HELP\r\n')],
  VRFY: [repeated(line(`VRFY ${'x'.repeat(LINE)}`))],
  QUIT: [repeated('QUIT\r\n')],
  GET: [repeated('GET / HTTP/1.1\r\n')],
  POST: [repeated('POST / HTTP/1.1\r\n')],
  PUT: [repeated('PUT / HTTP/1.1\r\n')],
  CONNECT: [repeated('CONNECT a:1 HTTP/1.1\r\n')],
  'a verb that there is not': [repeated(line('x'.repeat(LINE))), repeated(`${'\u00e9'.repeat(1_000)}\r\n`)],
  'a line that does not end': ['x'.repeat(OCTETS)],
}

/** Logs in on many sessions at once, sends the lines, and resolves with what they heard last when all are over. */
export async function handIn(target: Target, lines: string): Promise<string> {
  const login = Buffer.from(`\0api\0${target.token}`).toString('base64')
  const octets = Buffer.from(`EHLO x\r\nAUTH PLAIN ${login}\r\n${lines}`)
  return counted(
    await Promise.all(
      Array.from({ length: SESSIONS }, () => written(target, [octets], { answer: /^(\d\d\d) / })),
    ),
  )
}
