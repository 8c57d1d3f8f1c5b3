/** The costliest mail that the listener for returned mail takes, from many sessions at once. */
import { randomUUID } from 'node:crypto'
import { Seal } from '../../../src/accounts/seal.ts'
import { RETURN_PATHS, ReturnPathKey, returnPath } from '../../../src/mail/return-path/return-path.ts'
import { counted, written } from './framing.ts'

const SESSIONS = 20
/** Octets of a report that are read, of a message that is taken, and of a report that is read on the main thread. */
const READ = 1024 * 1024
const TAKEN = 16 * 1024 * 1024
const SMALL = 16 * 1024
/** Recipients of one message. */
const RECIPIENTS = 20
/** Recipients of an email. */
const NAMED = 1_000
const HEADER = 200_000
/** Ms after which a session that is still open is left. */
const PATIENCE = 60_000
/** The reply before that to QUIT, or the last one. */
const ANSWER = /(\d{3} \d\.\d\.\d \w+)[^\n]*\n(?:221 [^\n]*\n)?$/
const HOST = 'bounces.acme.example'

/** The key of the installation, by which return paths can be made here. */
export const SECRET_KEY = '5f'.repeat(32)

/** An email with many recipients. */
interface Returned {
  wide: string
}

interface ReturnedRow {
  /** The commands up to DATA. */
  envelope(of: Returned): string[]
  /** The message of one session; absent: none follows. */
  message?(of: Returned): string
}

const filled = (text: string, octets: number) => text.repeat(Math.ceil(octets / text.length))
const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

const key = new ReturnPathKey(new Seal(Buffer.from(SECRET_KEY, 'hex')).derive(RETURN_PATHS))
const pathOf = ({ wide: emailId }: Returned) =>
  returnPath(key, { emailId, recipient: null, domain: null, at: Date.now() }, HOST)

const toOne = (of: Returned) => ['MAIL FROM:<>', `RCPT TO:<${pathOf(of)}>`, 'DATA']

/** The same return path at several hosts, any of which will do. */
function toMost(of: Returned): string[] {
  const [local] = pathOf(of).split('@')
  const paths = Array.from({ length: RECIPIENTS }, (_, index) => `${local}@host${index}.example`)
  return ['MAIL FROM:<>', ...paths.map((each) => `RCPT TO:<${each}>`), 'DATA']
}

/** A report with its own Message-ID, so that its delays are new. */
const head = (type: string) =>
  `From: MAILER-DAEMON@mx.example\r\nSubject: Delayed\r\nMessage-ID: <${randomUUID()}@mx.example>\r\nContent-Type: ${type}\r\n`

/** A report of a delay of all recipients of the email, in so many octets. */
function ofAllRecipients(octets: number): string {
  const status = many(
    NAMED,
    (index) => `\r\nFinal-Recipient:a;r${index}@d${index % 300}.example\r\nAction:delayed\r\n`,
  )
  const report = `${head('multipart/report; boundary=b')}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: a;b\r\n${status}--b\r\nContent-Type: text/plain\r\n\r\n`
  return `${report}${filled('User unknown, mailbox full\r\n', Math.max(0, octets - report.length))}--b--\r\n`
}

const deepParts = many(
  64,
  (level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
)

export const RETURNED_ROWS: Readonly<Record<string, ReturnedRow>> = {
  'forged return paths': {
    envelope: () => [
      'MAIL FROM:<>',
      ...Array.from({ length: 99 }, () => `RCPT TO:<b${'a'.repeat(48)}@${HOST}>`),
    ],
  },
  'the longest report': {
    envelope: toOne,
    message: () =>
      `${head('text/plain')}\r\n${filled('<a@b.example>: 550 5.1.1 User unknown, mailbox full\r\n', TAKEN - 100_000)}`,
  },
  'a report of all recipients, at the most return paths': {
    envelope: toMost,
    message: () => ofAllRecipients(READ - 1_000),
  },
  'a small report of all recipients': { envelope: toOne, message: () => ofAllRecipients(SMALL) },
  'lines that patterns start over in': {
    envelope: () => ['MAIL FROM:<>', `RCPT TO:<postmaster@${HOST}>`, 'DATA'],
    message: () =>
      `${head('text/plain')}\r\n${filled(`${'-'.repeat(980)} @a\r\n${'a'.repeat(990)} @\r\n`, SMALL - 4_000)}`,
  },
  'the deepest parts': {
    envelope: toOne,
    message: () => `MIME-Version: 1.0\r\n${deepParts}${filled('--b63\r\n\r\nx\r\n', READ - 20_000)}`,
  },
  'a part for every line': {
    envelope: toOne,
    message: () => `${head('multipart/report; boundary=b')}\r\n${filled('--b\r\n\r\n', READ - 1_000)}`,
  },
  'the longest header': {
    envelope: toOne,
    message: () =>
      `${filled('To: (((((((=?utf-8?q?=28?= <a@b.example>,\r\n', HEADER / 2)}${filled('DKIM-Signature: d=x.example; s=y\r\n', HEADER / 2)}\r\nbody\r\n`,
  },
  'a header without an end': {
    envelope: toOne,
    message: () => filled('Delivered-To: a@b.example, c@d.example\r\n', READ - 1_000),
  },
}

/** Hands in the message on many sessions at once; resolves with what they heard when all are over. */
export async function handBack(
  port: number,
  { envelope, message }: ReturnedRow,
  of: Returned,
): Promise<string> {
  const session = () => {
    const lines = ['EHLO mx.example', ...envelope(of)].map((line) => `${line}\r\n`).join('')
    const octets = Buffer.from(`${lines}${message === undefined ? '' : `${message(of)}\r\n.\r\n`}QUIT\r\n`)
    const options = { answer: ANSWER, patience: PATIENCE, tail: true }
    return written({ port, token: '' }, [octets], options)
  }
  return counted(await Promise.all(Array.from({ length: SESSIONS }, session)))
}
