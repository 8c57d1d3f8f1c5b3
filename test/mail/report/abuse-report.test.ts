/** Abuse reports in X-ARF: complaints where they are about mail. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../../../src/mail/report/read-report.ts'
import { mail, RETURNED, reportMail, systemMail } from './mails.ts'

const SAMPLE = RETURNED.join('\r\n')
const SPAM = {
  ReportClass: 'Activity',
  ReportType: 'Spam',
  SourceIp: '192.0.2.25',
  SmtpMailFromAddress: 'b1@bounces.acme.test',
  SmtpRcptToAddress: 'Trap@Example.org',
}

/** As X-ARF is sent by mail: `Feedback-Type: xarf`, and the document. */
function documentMail(document: object, encode = false): Buffer {
  const text = JSON.stringify(document)
  const content = encode
    ? Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g)!
    : [text]
  const encoding = encode ? '\nContent-Transfer-Encoding: base64' : ''
  return reportMail(
    'feedback-report',
    [
      ['text/plain', 'Spam was reported.'],
      ['message/feedback-report', 'Feedback-Type: xarf', 'User-Agent: reporter/1', 'Version: 1'],
      [`application/json; name=xarf.json${encoding}`, ...content],
    ],
    { From: 'reports@reporter.test', Subject: 'Abuse report about 192.0.2.25' },
  )
}

const older = (...report: object[]) => ({
  Version: '3',
  ReporterInfo: {},
  Report: Object.assign({}, ...report),
})

function found(raw: Buffer) {
  const { kind, recipients, returned } = readReport(raw)
  const { messageId, mailFrom, feedbackId } = returned
  return { kind, recipients: recipients.map(({ address }) => address), messageId, mailFrom, feedbackId }
}

const UNNAMED = { recipients: [], messageId: null, mailFrom: null, feedbackId: null }

describe('JSON', () => {
  test('versions 1 to 3 name sender and recipient of the transaction', () => {
    for (const encode of [false, true]) {
      assert.deepEqual(found(documentMail(older(SPAM), encode)), {
        kind: 'complaint',
        recipients: ['Trap@example.org'],
        messageId: null,
        mailFrom: 'b1@bounces.acme.test',
        feedbackId: null,
      })
    }
  })

  test('version 4 names the Message-ID, too, and may come without the fields of a feedback report', () => {
    const document = {
      xarf_version: '4.2.0',
      category: 'messaging',
      type: 'bulk_messaging',
      smtp_from: 'b1@bounces.acme.test',
      smtp_to: ['trap@example.org', 'trap@example.org', 'other@example.org'],
      message_id: '1@acme.test',
    }
    const raw = mail(
      { 'Content-Type': 'application/json', From: 'r@reporter.test' },
      JSON.stringify(document),
    )
    assert.deepEqual(found(raw), {
      kind: 'complaint',
      recipients: ['trap@example.org', 'other@example.org'],
      messageId: '<1@acme.test>',
      mailFrom: 'b1@bounces.acme.test',
      feedbackId: null,
    })
  })

  test('the attached mail supplies the facts that the document omits, with any line ends', () => {
    const samples = [
      { ContentType: 'text/plain', Base64Encoded: true, Payload: 'bG9n' },
      { ContentType: 'message/rfc822', Base64Encoded: true, Payload: Buffer.from(SAMPLE).toString('base64') },
    ]
    const plain = [{ ContentType: 'message/rfc822', Base64Encoded: false, Payload: RETURNED.join('\n') }]
    const evidence = [{ content_type: 'message/rfc822', payload: Buffer.from(SAMPLE).toString('base64') }]
    for (const document of [
      older({ ReportType: 'Spam', Samples: samples }),
      // About a web page, with the mail in which it was found.
      older({ ReportType: 'Phishing', Samples: plain }),
      { xarf_version: '4.0.0', category: 'content', type: 'phishing', evidence },
    ]) {
      const { kind, recipients, messageId } = found(documentMail(document))
      assert.deepEqual([kind, recipients, messageId], ['complaint', ['jane@example.org'], '<1@acme.test>'])
    }
  })

  test('a feedback loop may return nothing but CFBL-Feedback-ID (RFC 9477)', () => {
    const payload = 'CFBL-Feedback-ID: 111:222:333:4444\r\n\r\n'
    const samples = [{ ContentType: 'message/rfc822', Base64Encoded: false, Payload: payload }]
    const document = older({ ReportType: 'Spam', Samples: samples })
    const expected = { ...UNNAMED, kind: 'complaint', feedbackId: '111:222:333:4444' }
    assert.deepEqual(found(documentMail(document)), expected)
    const arf = reportMail('feedback-report', [
      ['message/feedback-report', 'Feedback-Type: abuse', 'Version: 1'],
      ['text/rfc822-headers', 'CFBL-Feedback-ID: 111:222:333:4444'],
    ])
    assert.deepEqual(found(arf), expected)
  })

  test('reports about attacks on servers, and documents that are none, change nothing', () => {
    for (const document of [
      older({ ReportType: 'LoginAttack', SourceIp: '192.0.2.25' }),
      { xarf_version: '4.0.0', category: 'connection', type: 'ddos' },
      { ReporterInfo: {}, Report: null },
      { ReporterInfo: {}, Report: { ReportType: 7, Samples: [null, 1, { ContentType: 'message/rfc822' }] } },
      ['ReporterInfo'],
      { Feedback: 'none' },
    ]) {
      assert.deepEqual(found(documentMail(document)), { ...UNNAMED, kind: 'none' })
    }
    const cut = documentMail(older(SPAM)).toString().replace('"Report":', '"Report"')
    assert.deepEqual(found(Buffer.from(cut)), { ...UNNAMED, kind: 'none' })
  })
})

describe('the older form', () => {
  const FIELDS = [
    '---',
    'Reported-From: reports@reporter.test',
    'Category: abuse',
    'Report-ID: 47@reporter.test',
    'Version: 0.1',
    'Date: Tue, 3 Mar 2026 09:20:00 +0000',
    'Source-Type: ip-address',
    'Source: 192.0.2.25',
  ]
  const HEADER = {
    'Return-Path': '<reports@reporter.test>',
    From: 'reports@reporter.test',
    Subject: 'abuse report about 192.0.2.25',
    'Auto-Submitted': 'auto-generated',
    'X-ARF': 'YES',
    'Content-Type': 'multipart/mixed; boundary=b',
  }
  const report = 'text/plain; charset=utf-8; name="report.txt"'
  const spam = (...attached: [string, ...string[]][]) =>
    reportMail(
      'x',
      [['text/plain', 'Hello.'], [report, ...FIELDS, 'Report-Type: "spam"'], ...attached],
      HEADER,
    )

  test('a report of spam is a complaint about the attached mail', () => {
    for (const attached of ['message/rfc822', 'text/rfc822-headers\nContent-Disposition: attachment']) {
      const { kind, recipients, messageId } = found(spam([attached, ...RETURNED]))
      assert.deepEqual([kind, recipients, messageId], ['complaint', ['jane@example.org'], '<1@acme.test>'])
    }
    assert.deepEqual(found(spam()), { ...UNNAMED, kind: 'complaint' })
  })

  test('a report of attacks on a server is none', () => {
    const raw = reportMail(
      'x',
      [
        ['text/plain', 'Hello.'],
        [`${report}\nContent-Disposition: attachment`, ...FIELDS, 'Report-Type: login-attack'],
        ['text/plain; name=logfile.log', 'sshd[1]: Failed password for root from 192.0.2.25'],
      ],
      HEADER,
    )
    assert.deepEqual(found(raw), { ...UNNAMED, kind: 'none' })
  })

  test('it is a part of its own: the second, or the first beside the attached mail', () => {
    const fields = [...FIELDS, 'Report-Type: spam', 'Original-Rcpt-To: jane@example.org']
    const kindOf = (...parts: [string, ...string[]][]) => found(reportMail('x', parts, HEADER)).kind
    const hello: [string, ...string[]] = ['text/plain', 'Hello.']
    const attached: [string, ...string[]] = ['message/rfc822', ...RETURNED]
    assert.equal(kindOf([report, ...fields], attached), 'complaint')
    assert.equal(
      kindOf(hello, [report, ...fields, '# The source sent it twice.', 'Log:', '  - one', '...']),
      'complaint',
    )

    assert.equal(kindOf([report, ...fields]), 'none')
    assert.equal(kindOf(['text/plain', 'You wrote:', '', ...fields], attached), 'none')
    assert.equal(
      kindOf([report, ...fields, '', 'Thank you. Your ticket has the number 47.'], attached),
      'none',
    )
    assert.equal(kindOf(hello, ['text/plain', 'You wrote:', '', ...fields]), 'none')
    assert.equal(kindOf(hello, ['text/plain', 'And again.'], [report, ...fields]), 'none')
    const { 'Content-Type': _, ...single } = HEADER
    assert.equal(found(mail(single, ...fields)).kind, 'none')
  })
})

test('a complaint names the email in its own fields and in the returned mail, not in the header of an answer', () => {
  const answer = {
    'In-Reply-To': '<1@acme.test>',
    References: '<1@acme.test>',
    'X-Original-Message-ID': '<1@acme.test>',
    'Content-Type': 'multipart/report; report-type=feedback-report; boundary=b',
  }
  const arf: [string, ...string[]] = ['message/feedback-report', 'Feedback-Type: abuse', 'Version: 1']
  const document: [string, ...string[]] = ['application/json', JSON.stringify(older(SPAM))]
  for (const part of [arf, document]) {
    const { kind, messageId } = found(reportMail('x', [['text/plain', 'Hello.'], part], answer))
    assert.deepEqual([kind, messageId], ['complaint', null])
  }
  const returned = reportMail('x', [['text/plain', 'Hello.'], arf, ['message/rfc822', ...RETURNED]])
  assert.equal(found(returned).messageId, '<1@acme.test>')
})

describe('a bounce of a report that a customer sent is a bounce', () => {
  const XARF = ['Reported-From: abuse@acme.test', 'Report-Type: spam', 'Original-Rcpt-To: trap@acme.test']
  const HEADER = RETURNED.slice(0, RETURNED.indexOf(''))
  /** The text for people and the fields, as the customer sent them. */
  const PARTS = (type: string, ...fields: string[]) => [
    ...HEADER,
    'Content-Type: multipart/mixed; boundary=sent-by-acme',
    '',
    '--sent-by-acme',
    'Content-Type: text/plain',
    '',
    'Hello.',
    '--sent-by-acme',
    `Content-Type: ${type}`,
    '',
    ...fields,
    '--sent-by-acme--',
  ]
  const DOCUMENT = JSON.stringify(older(SPAM))
  const bounced = (raw: Buffer) => {
    const { kind, recipients, messageId } = found(raw)
    assert.deepEqual([kind, recipients, messageId], ['bounce', ['jane@example.org'], '<1@acme.test>'])
  }

  const QMAIL = [
    'Hi. This is the qmail-send program at mx.test.',
    '<jane@example.org>:',
    '192.0.2.1 does not like recipient.',
    'Remote host said: 550 user unknown',
    '',
    '--- Below this line is a copy of the message.',
    '',
  ]
  const forms: [what: string, sent: string[]][] = [
    ['fields', PARTS('text/plain', ...XARF)],
    ['a document', PARTS('application/json', DOCUMENT)],
    ['a feedback report', PARTS('message/feedback-report', 'Feedback-Type: abuse', 'Version: 1')],
    ['fields alone', [...HEADER, '', ...XARF]],
  ]
  for (const [what, sent] of forms) {
    test(`returned in the text of qmail: ${what}`, () => {
      bounced(systemMail('failure notice', ...QMAIL, ...sent))
      // The header that names the boundary may be missing, and then the parts become those of the bounce.
      const cut = sent.filter((line) => !line.startsWith('Content-Type: multipart/'))
      bounced(systemMail('failure notice', ...QMAIL, ...cut))
    })
  }

  const STATUS: [string, ...string[]] = [
    'message/delivery-status',
    'Reporting-MTA: dns; mx.test',
    '',
    'Final-Recipient: rfc822; jane@example.org',
    'Action: failed',
    'Status: 5.1.1',
  ]
  const failed: [string, ...string[]] = ['text/plain', 'Delivery has failed.']
  test('returned as the third part of a report, of whatever type', () => {
    for (const type of ['text/plain', 'message/rfc822', 'text/rfc822-headers']) {
      bounced(reportMail('delivery-status', [failed, STATUS, [type, ...HEADER, '', ...XARF]]))
    }
    // Nothing of the returned email but its fields.
    assert.equal(
      found(reportMail('delivery-status', [failed, STATUS, ['text/plain', ...XARF]])).kind,
      'bounce',
    )
    assert.equal(
      found(reportMail('delivery-status', [failed, STATUS, ['application/json', DOCUMENT]])).kind,
      'bounce',
    )
  })

  test('returned as a text in front of the fields for programs, or without them', () => {
    bounced(reportMail('delivery-status', [failed, ['text/plain', ...HEADER, ...XARF], STATUS]))
    assert.equal(
      found(reportMail('delivery-status', [failed, ['text/plain', ...XARF], STATUS])).kind,
      'bounce',
    )
    const prose: [string, ...string[]] = ['text/plain', ...QMAIL.slice(0, 4)]
    bounced(reportMail('x', [prose, ['message/rfc822', ...HEADER, '', ...XARF]]))
    bounced(reportMail('x', [prose, ['text/plain', ...XARF], ['message/rfc822', ...RETURNED]]))
  })
})

test('a report of something else than mail is no complaint, even with a mail attached', () => {
  const sample = [{ ContentType: 'message/rfc822', Base64Encoded: false, Payload: RETURNED.join('\n') }]
  const evidence = [{ content_type: 'message/rfc822', payload: Buffer.from(SAMPLE).toString('base64') }]
  const fieldsOf = (type: string) =>
    reportMail(
      'x',
      [
        ['text/plain', 'Hello.'],
        ['text/plain', 'Reported-From: reports@reporter.test', `Report-Type: ${type}`],
        ['message/rfc822', ...RETURNED],
      ],
      { 'Content-Type': 'multipart/mixed; boundary=b' },
    )
  for (const type of ['login-attack', 'port-scan', 'ddos', 'copyright']) {
    assert.equal(found(documentMail(older({ ReportType: type, Samples: sample }))).kind, 'none', type)
    const document = { xarf_version: '4.0.0', category: 'connection', type, evidence }
    assert.equal(found(documentMail(document)).kind, 'none', type)
    assert.equal(found(fieldsOf(type)).kind, 'none', type)
  }
  // A mail carries them.
  for (const type of ['spam', 'phishing', 'Fraud', 'malware', 'malware-attachment', 'virus']) {
    assert.equal(found(documentMail(older({ ReportType: type, Samples: sample }))).kind, 'complaint', type)
    assert.equal(found(fieldsOf(type)).kind, 'complaint', type)
  }
})
