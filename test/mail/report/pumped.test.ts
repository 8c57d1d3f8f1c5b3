/** A stranger's line of any content takes at most ten times as long as a line that names a recipient: no pattern starts over and over. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../../../src/mail/report/read-report.ts'

const HEAD = 'Return-Path: <>\r\nFrom: MAILER-DAEMON@x.test\r\nTo: a@x.test\r\nSubject: Undelivered\r\n'

/** What patterns repeat; a pattern that is tried from every place of such a row needs many times as long. */
const PUMPED = [
  ...['a', '-', '- ', '|', '*', ' ', '\t', '>', "'", '"', '.', '(', ':', '4', '=', '@', '<', 'é'],
  ...[
    '>>>',
    'a ',
    'a@',
    'a@b ',
    '<a@b> ',
    '450 ',
    '4.1.1 ',
    '550-',
    '宛先',
    '地址（',
    'entregue ao ',
    'на адрес ',
    'to ',
    'user ',
    'recipient address ',
  ],
  ...['deliver to ', 'mail to the ', 'help ', 'original message ', 'text follows ', '<mailto:', '(a '],
]
const STARTS = ['', 'to:', 'a@', '-- ']
const ENDS = ['', ' @', '@a', ' a@b.c', 'x', ' :']
const OCTETS = 8_000
/** Times as long as the ordinary line; a pattern that starts over and over takes 40 to 200 times as long. */
const MAX = 10

const filled = (text: string, octets: number) => text.repeat(Math.ceil(octets / text.length))
const mail = (line: string) => Buffer.from(`${HEAD}\r\n${filled(`${line}\r\n`, OCTETS)}`)

/** Microseconds of processor time for reading the mail, on average: the clock of some machines ticks seldom. */
function timeOf(raw: Buffer, runs: number): number {
  const before = process.cpuUsage()
  for (let run = 0; run < runs; run++) readReport(raw)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / runs
}

describe('no line takes ten times as long as one that names a recipient', () => {
  const ordinary = mail('<jane@example.org>: 550 5.1.1 User unknown')
  timeOf(ordinary, 50)
  const most = MAX * timeOf(ordinary, 100)

  function assertCheap(name: string, raw: Buffer): void {
    if (timeOf(raw, 1) <= most) return
    // Others may have disturbed the one run.
    const time = timeOf(raw, 20)
    assert.ok(time <= most, `${name}: ${time} µs, more than ${most}`)
  }

  for (const pumped of PUMPED) {
    test(`a line of ${JSON.stringify(pumped)}`, () => {
      for (const start of STARTS) {
        for (const end of ENDS) {
          const line = `${start}${filled(pumped, 995).slice(0, 995 - start.length - end.length)}${end}`
          assertCheap(JSON.stringify([start, pumped, end]), mail(line))
        }
      }
    })
  }

  for (const front of ['-'.repeat(40), `to:${' '.repeat(500)}${'a'.repeat(230)}`, `to:${'a'.repeat(120)}`]) {
    for (const end of ['@', `@${'a'.repeat(255)} x`, `@${'.'.repeat(240)}x :`]) {
      test(`a line of ${front.slice(0, 4)}${end.slice(0, 2)}`, () => assertCheap('it', mail(front + end)))
    }
  }

  const status = `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n`
  for (const [name, text] of Object.entries({
    'a row of brackets': `${status}Final-Recipient: rfc822;\r\n ${filled('>', OCTETS)}x\r\n`,
    'names of fields in blanks': `${HEAD}${filled(`a${'\t'.repeat(197)}x: y\r\n`, OCTETS)}\r\nx`,
  })) {
    test(name, () => assertCheap(name, Buffer.from(text)))
  }
})
