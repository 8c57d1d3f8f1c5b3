/** Measures the time to read a returned mail. See `--help`. */
import { count, parseOptions } from '../harness/options.ts'
import { readReport } from '../src/mail/report/read-report.ts'
import { median } from './statistics.ts'

const HELP = `Usage: node bench/bounces.ts [options]

Reads mails of several kinds in this process, and prints the processor time for one: at the size asked for, and at ten times it.

  --size N     octets of a mail (50000)
  --rounds N   rounds of each, a hundred mails each (20)
`

const values = parseOptions(HELP, {
  size: { type: 'string', default: '50000' },
  rounds: { type: 'string', default: '20' },
})
const size = count('size', values.size, 2_000)
const rounds = count('rounds', values.rounds)
const MAILS = 100

const HEAD =
  'Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.test\r\nTo: a@acme.test\r\nSubject: Undelivered Mail\r\n'
const RETURNED =
  'Received: from acme.test\r\nMessage-ID: <1@acme.test>\r\nFrom: a@acme.test\r\nTo: jane@example.org\r\n\r\n'
const SAID =
  'This is the mail system at host mx.test.\r\n\r\n<jane@example.org>: host mx said: 550 5.1.1 User unknown\r\n'

const filled = (octets: number) =>
  'Some words of the email that came back with it.\r\n'.repeat(Math.ceil(octets / 49))

const KINDS: Readonly<Record<string, (octets: number) => string>> = {
  'fields for programs, and the email': (octets) =>
    `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\n${SAID}--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.test\r\n\r\nFinal-Recipient: rfc822; jane@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${RETURNED}${filled(octets)}--b--\r\n`,
  'prose, and the email': (octets) =>
    `${HEAD}\r\n${SAID}\r\n--- Below this line is a copy of the message.\r\n\r\n${RETURNED}${filled(octets)}`,
  'a hundred recipients in prose': (octets) =>
    `${HEAD}\r\n${SAID}${Array.from({ length: 100 }, (_, index) => `<a${index}@example.org>: host mx said: 550 5.1.1 User unknown\r\n`).join('')}\r\n--- Below this line is a copy of the message.\r\n\r\n${RETURNED}${filled(octets)}`,
  'prose without an end': (octets) => `${HEAD}\r\n${SAID}${filled(octets)}`,
}

for (const [kind, mailOf] of Object.entries(KINDS)) {
  const [one, ten] = [size, 10 * size].map((octets) => timeOf(Buffer.from(mailOf(octets))))
  process.stdout.write(
    `${kind.padEnd(36)} ${one!.toFixed(2).padStart(6)} ms for ${size} octets  ${ten!.toFixed(2).padStart(6)} ms for ${10 * size}\n`,
  )
}

/** Processor time of one reading, in milliseconds. */
function timeOf(mail: Buffer): number {
  const measured: number[] = []
  // One round more than asked for, which warms up.
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    for (let index = 0; index < MAILS; index++) readReport(mail)
    const { user, system } = process.cpuUsage(before)
    if (round > 0) measured.push((user + system) / 1_000 / MAILS)
  }
  return median(measured)
}
