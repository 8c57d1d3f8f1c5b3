/** Reading costs twice as much for twice the mail, and no more than a bound, whatever stands in it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../../../src/mail/report/read-report.ts'
import { measureWork } from '../../support/work-meter.ts'

const HEAD = 'Return-Path: <>\r\nFrom: MAILER-DAEMON@x.test\r\nTo: a@x.test\r\nSubject: Undelivered\r\n'
const MULTIPART = `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n`
const STATUS = `${MULTIPART}--b\r\nContent-Type: message/delivery-status\r\n\r\n`

const ABUSE = `${MULTIPART}--b\r\nContent-Type: application/json\r\n\r\n`

const text = (piece: string) => (octets: number) => `${HEAD}\r\n${repeat(piece, octets)}`
const repeat = (piece: string, octets: number) => piece.repeat(Math.ceil(octets / piece.length))
const numbered = (line: (index: number) => string, octets: number) =>
  Array.from({ length: Math.ceil(octets / line(0).length) }, (_, index) => line(index)).join('')

/** Mails of about the given number of octets, each bad for some way of reading. */
const SHAPES: Record<string, (octets: number) => string> = {
  delimiters: (n) => MULTIPART + repeat('--b\r\n', n),
  'closing delimiters': (n) => MULTIPART + repeat('--b--\r\n', n),
  'what reads like delimiters of a lost boundary': (n) =>
    `${HEAD}\r\n${numbered((index) => `--boundary${index}\r\nContent-Type: a/b\r\n`, n)}`,
  'header fields': (n) => HEAD + repeat(`X-A: ${'b'.repeat(60)}\r\n`, n),
  'one field, folded': (n) => `${HEAD}X: ${repeat('a\r\n ', n)}\r\n\r\n`,
  'header fields in the text': text('X-A: b\r\n'),
  'one address again and again': text('<a@b.test>:\r\n550 x\r\n'),
  'many addresses': (n) => `${HEAD}\r\n${numbered((index) => `<a${index}@b.test>: 550 x\r\n`, n)}`,
  'addresses in one line': text('a@b.test '),
  'signs of addresses': text('@'),
  'lines with half an address': text('a@\r\n'),
  'labels of recipients': text('recipient address recipient address: '),
  'words of delivery': text('deliver to a a a '),
  'blank lines': text('          \r\n'),
  'empty lines': text('\r\n'),
  'markers of what came back': text('original message follows all the all the all the x\r\n'),
  dialogue: (n) =>
    `${MULTIPART}--b\r\n\r\n${repeat('<<< 550-x\r\n', n / 2)}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${numbered((index) => `Final-Recipient: rfc822; a${index}@b.test\r\nDiagnostic-Code: smtp; 550-x\r\n\r\n`, n / 2)}`,
  'fields of recipients': (n) =>
    STATUS + numbered((index) => `Final-Recipient: rfc822; a${index}@b.test\r\nAction: failed\r\n\r\n`, n),
  'a long diagnostic': (n) =>
    `${STATUS}Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nDiagnostic-Code: smtp; ${repeat('550 said: ', n)}`,
  'reports in reports': (n) => repeat(`Content-Type: message/rfc822\r\n${HEAD}\r\n`, n),
  'multiparts in multiparts': (n) =>
    numbered((index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`, n),
  'feedback fields': (n) =>
    `${MULTIPART}--b\r\nContent-Type: message/feedback-report\r\n\r\n${repeat('Original-Rcpt-To: a@b.test\r\n', n)}`,
  'samples of an abuse report': (n) =>
    `${ABUSE}{"ReporterInfo":{},"Report":{"Samples":[${Array(n / 40)
      .fill('{"ContentType":"message/rfc822"}')
      .join()}]}}`,
  'a mail in an abuse report': (n) =>
    `${ABUSE}{"xarf_version":"4","evidence":[{"content_type":"message/rfc822","payload":"${'WC06IGEK'.repeat(n / 8)}"}]}`,
  'lists in lists in an abuse report': (n) =>
    `${ABUSE}{"ReporterInfo":${'['.repeat(n / 2)}${']'.repeat(n / 2)}}`,
  'fields of an abuse report': (n) =>
    `${MULTIPART}--b\r\n\r\nspam\r\n--b\r\n\r\nReported-From: a\r\n${repeat('Report-Type: a\r\n', n)}`,
  'X-Failed-Recipients': (n) => `${HEAD}X-Failed-Recipients: ${repeat('a@b.test, ', n)}\r\n\r\n`,
  HTML: (n) => `${HEAD}Content-Type: text/html\r\n\r\n${repeat('<table><tr><td>', n)}`,
}

const OCTETS = 10_000

describe('twice the mail takes twice the work', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    test(name, () => {
      const [small, large] = [Buffer.from(shape(OCTETS)), Buffer.from(shape(2 * OCTETS))]
      // Once before: tables are made, and caches filled.
      for (const raw of [small, large]) readReport(raw)
      const once = measureWork('/src/mail/', () => readReport(small))
      const twice = measureWork('/src/mail/', () => readReport(large))
      assert.ok(twice.steps <= 2.3 * once.steps + 10_000, `${once.steps} steps became ${twice.steps}`)
      assert.ok(
        twice.handled <= 2.3 * once.handled + 100_000,
        `${once.handled} characters became ${twice.handled}`,
      )
      assert.ok(
        twice.handled <= 300 * large.length,
        `${twice.handled} characters handled for ${large.length} octets`,
      )
    })
  }
})

test('nothing beyond the first 1 MiB is read', () => {
  const address = (raw: Buffer) => readReport(raw).recipients.map((each) => each.address)
  const padding = (octets: number) =>
    Buffer.from(`${HEAD}X: ${repeat('a\r\n ', octets)}\r\n\r\n<b@y.test>:\r\n550 User unknown\r\n`)
  assert.deepEqual(address(padding(100_000)), ['b@y.test'])
  assert.deepEqual(address(padding(1_100_000)), [])
})
