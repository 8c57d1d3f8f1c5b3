import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consequencesOf } from '../../src/inbound/consequences.ts'
import { readReport } from '../../src/mail/report/read-report.ts'
import type { ReportedEmail } from '../../src/store/store.ts'

const EMAIL = {
  size: 1,
  recipients: [{ position: 0, address: 'info@example.test', server: null, unsettled: true }],
} as unknown as ReportedEmail

/** A bounce by Postfix about this final recipient. */
function bounce(final: string): Buffer {
  return Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example.test',
      'To: b@bounces.acme.test',
      'Subject: Undelivered Mail Returned to Sender',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'This is the mail system.',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.test',
      '',
      `Final-Recipient: rfc822; ${final}`,
      'Original-Recipient: rfc822;info@example.test',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
      '',
      '--b--',
      '',
    ].join('\r\n'),
  )
}

/** Whether the report has each recipient bounce, and whether it shows its address to be dead. */
function dead(final: string, position: number | null): [report: string, dead: boolean][] {
  const terms = { label: '', at: 0, fullMailbox: null, position }
  const { reports } = consequencesOf(readReport(bounce(final)), EMAIL, terms)
  return reports.map(({ happening }) => {
    assert.equal(happening.kind, 'returned')
    return happening.kind === 'returned' ? [happening.report, happening.deadAddress] : ['', false]
  })
}

test('an address is dead by a report about it, or about its name at the same domain', () => {
  for (const position of [null, 0]) {
    assert.deepEqual(dead('info@example.test', position), [['bounced', true]])
    assert.deepEqual(dead('Info.Desk@EXAMPLE.test', position), [['bounced', true]])
  }
})

test('an address is alive when the address that it forwards to is gone, whether fields or prose say so', () => {
  const exim = [
    'From: Mail Delivery System <Mailer-Daemon@mx.example.test>',
    'To: b@bounces.acme.test',
    'Subject: Mail delivery failed: returning message to sender',
    '',
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    '  gone@old.test',
    '    (generated from info@example.test)',
    '    host mx.old.test [192.0.2.1]',
    '    SMTP error from remote mail server after RCPT TO:<gone@old.test>:',
    '    550 5.1.1 User unknown',
    '',
  ]
  const terms = { label: '', at: 0, fullMailbox: null, position: null }
  const { reports } = consequencesOf(readReport(Buffer.from(exim.join('\r\n'))), EMAIL, terms)
  assert.deepEqual(
    reports.map(({ happening }) => 'deadAddress' in happening && happening.deadAddress),
    [false],
  )
  for (const position of [null, 0]) assert.deepEqual(dead('gone@old.test', position), [['bounced', false]])
})
