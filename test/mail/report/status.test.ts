/** Delivery status notifications (RFC 3464), and the ways in which servers depart from them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../../../src/mail/report/read-report.ts'
import { mail, RETURNED, reportMail, systemMail } from './mails.ts'

const STATUS = 'message/delivery-status'
const MTA = ['Reporting-MTA: dns; mx.test', 'Original-Envelope-Id: e1@acme.test', '']

/** A report with these fields for its recipients. */
const status = (...lines: string[]) => reportMail('delivery-status', [[STATUS, ...MTA, ...lines]])

describe('fields of recipients', () => {
  test('of several: each has its own action, codes and words', () => {
    const { kind, recipients, returned } = readReport(
      status(
        'Final-Recipient: rfc822; jane@example.org',
        'Action: failed',
        'Status: 5.0.0',
        'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
        '',
        'Final-Recipient: rfc822; joe@example.org',
        'Action: delayed',
        'Status: 4.2.2',
        'Diagnostic-Code: smtp; 452 4.2.2 Mailbox full',
        '',
        'Final-Recipient: rfc822; ann@example.org',
        'Action: delivered',
        'Status: 2.0.0',
      ),
    )
    assert.equal(kind, 'bounce')
    assert.equal(returned.envelopeId, 'e1@acme.test')
    assert.deepEqual(
      recipients.map(({ address, action, status, reply, permanent, category }) => [
        address,
        action,
        status,
        reply,
        permanent,
        category,
      ]),
      [
        ['jane@example.org', 'failed', '5.1.1', 550, true, 'address_unknown'],
        ['joe@example.org', 'delayed', '4.2.2', 452, false, 'mailbox_full'],
        ['ann@example.org', 'delivered', '2.0.0', null, false, null],
      ],
    )
  })

  test('an address that is still in xtext (RFC 3461 4) is the final one, any other plus sign stays', () => {
    const addressOf = (original: string, final: string) =>
      readReport(
        status(
          `Original-Recipient: rfc822; ${original}`,
          `Final-Recipient: rfc822; ${final}`,
          'Action: failed',
        ),
      ).recipients[0]!.address
    assert.equal(addressOf('jane+2Bnews@example.org', 'jane+news@example.org'), 'jane+news@example.org')
    assert.equal(addressOf('jane+2B@example.org', 'jane@mailhub'), 'jane+2B@example.org')
  })

  test('the text of Exchange Online decides where its code is ambiguous', () => {
    const fields = (code: string) => [
      'Final-Recipient: rfc822; jane@example.org',
      `Action: ${code.startsWith('4') ? 'delayed' : 'failed'}`,
      `Diagnostic-Code: smtp; ${code} Recipient address rejected: Access denied`,
    ]
    const permanent = (code: string, ...text: string[]) =>
      readReport(
        reportMail('delivery-status', [
          ['text/plain', ...text],
          [STATUS, ...MTA, ...fields(code)],
        ]),
      ).recipients[0]!.permanent
    const unknown = [
      "Your message to jane@example.org couldn't be delivered.",
      '',
      "jane wasn't found at example.org.",
    ]
    assert.equal(permanent('550 5.4.1', 'jane@example.org'), false)
    assert.equal(permanent('550 5.4.1', ...unknown), true)
    assert.equal(permanent('450 4.4.1', ...unknown), false)
  })

  test('the address that was written to counts, not the one that it became', () => {
    const { recipients } = readReport(
      status(
        'Final-Recipient: rfc822; jane@mailhub',
        'Original-Recipient: rfc822; sales@Example.ORG',
        'Action: failed',
      ),
    )
    assert.deepEqual(
      recipients.map(({ address, original }) => [address, original]),
      [['sales@example.org', 'sales@example.org']],
    )
  })

  const ADDRESSES: Record<string, string> = {
    'rfc822;jane@example.org': 'jane@example.org',
    'RFC822; <jane@EXAMPLE.org>': 'jane@example.org',
    'rfc822; jane@example.org>': 'jane@example.org',
    '<@relay.test:jane@example.org>': 'jane@example.org',
    'jane@example.org': 'jane@example.org',
    'rfc822; Jane Doe <jane@example.org>': 'jane@example.org',
    'rfc822; "jane doe"@example.org': '"jane doe"@example.org',
    'rfc822; prvs=1=jane@example.org': 'prvs=1=jane@example.org',
    'utf-8; \\x{1F408}@example.org': '🐈@example.org',
    'utf-8; üser@exämple.org': 'üser@exämple.org',
  }
  for (const [value, address] of Object.entries(ADDRESSES)) {
    test(`Final-Recipient: ${value}`, () => {
      const { recipients } = readReport(
        status(`Final-Recipient: ${value}`, 'Action: failed', 'Status: 5.1.1'),
      )
      assert.deepEqual(
        recipients.map((each) => each.address),
        [address],
      )
    })
  }

  test('no empty line between recipients, or one within the fields of a recipient', () => {
    const { recipients } = readReport(
      status(
        'Action: failed',
        'Final-Recipient: rfc822; jane@example.org',
        'Action: failed',
        'Final-Recipient: rfc822; joe@example.org',
        '',
        'Final-Recipient: rfc822; ann@example.org',
        '',
        'Action: failed',
        'Status: 5.2.2',
      ),
    )
    assert.deepEqual(
      recipients.map(({ address, status }) => [address, status]),
      [
        ['jane@example.org', null],
        ['joe@example.org', null],
        ['ann@example.org', '5.2.2'],
      ],
    )
  })

  test('a reply of several lines that are not indented', () => {
    const [recipient] = readReport(
      status(
        'Diagnostic-Code: smtp; 550-No.',
        '550 5.1.1 User unknown',
        'Action: failed',
        'Final-Recipient: rfc822; jane@example.org',
      ),
    ).recipients
    assert.deepEqual([recipient!.status, recipient!.category], ['5.1.1', 'address_unknown'])
  })

  test('without an action the class of the status decides', () => {
    const action = (line: string) =>
      readReport(status('Final-Recipient: rfc822; jane@example.org', line)).recipients[0]!.action
    assert.deepEqual([action('Status: 5.1.1'), action('Status: 4.4.1')], ['failed', 'delayed'])
  })
})

describe('where the reason stands', () => {
  const sendmail = (...transcript: string[]) =>
    reportMail('delivery-status', [
      [
        'text/plain',
        'The original message was received at Thu, 1 Jan 2026 00:00:00 GMT',
        '',
        '   ----- The following addresses had permanent fatal errors -----',
        '<jane@example.org>',
        '',
        '   ----- Transcript of session follows -----',
        ...transcript,
      ],
      [
        STATUS,
        ...MTA,
        'Final-Recipient: RFC822; jane@example.org',
        'Action: failed',
        'Status: 5.0.0',
        `Diagnostic-Code: SMTP; ${transcript.find((line) => line.startsWith('<<<'))?.slice(4) ?? ''}`,
      ],
    ])

  test('a reply of several lines is read as a whole from the dialogue', () => {
    const [recipient] = readReport(
      sendmail(
        '>>> DATA',
        '<<< 552-5.7.0 This message was',
        '<<< 552-5.7.0 blocked: it has',
        '<<< 552 5.7.0 a virus',
      ),
    ).recipients
    assert.equal(recipient!.message, '552-5.7.0 This message was blocked: it has a virus')
    assert.equal(recipient!.category, 'content_spam')
  })

  test('a refusal at MAIL concerns the sender, whose domain may be unknown', () => {
    const reply = '<<< 553 5.1.8 Domain does not exist'
    const [mailFrom] = readReport(sendmail('>>> MAIL From:<sender@acme.test>', reply)).recipients
    assert.deepEqual([mailFrom!.permanent, mailFrom!.category], [false, 'policy'])
  })

  test('the fault of a program is not that of the address', () => {
    const report = reportMail('delivery-status', [
      ['text/plain', 'This is the mail system at host mx.test.', '', '<jane@example.org>: Permission denied'],
      [
        STATUS,
        ...MTA,
        'Final-Recipient: rfc822; jane@example.org',
        'Action: failed',
        'Diagnostic-Code: X-Unix; 127',
      ],
    ])
    const [recipient] = readReport(report).recipients
    assert.deepEqual([recipient!.permanent, recipient!.category], [false, 'other'])
  })

  test('of two recipients neither gets the reason of the other', () => {
    const report = reportMail('delivery-status', [
      [
        'text/plain',
        'This is the mail system at host mx.test.',
        '',
        '<jane@example.org>: host mx said: 550 5.1.1 User unknown',
        '',
        '<joe@example.org>: lost',
      ],
      [
        STATUS,
        ...MTA,
        'Final-Recipient: rfc822; jane@example.org',
        'Action: failed',
        '',
        'Final-Recipient: rfc822; joe@example.org',
        'Action: failed',
      ],
    ])
    assert.deepEqual(
      readReport(report).recipients.map(({ permanent }) => permanent),
      [true, false],
    )
  })

  test('the inner reply counts', () => {
    const [recipient] = readReport(
      status(
        'Final-Recipient: rfc822; jane@example.org',
        'Action: failed',
        'Status: 5.1.1',
        "Diagnostic-Code: smtp; 5.1.0 - Unknown address error 550-'5.2.2 Mailbox full' (delivery attempts: 0)",
      ),
    ).recipients
    assert.deepEqual(
      [recipient!.status, recipient!.reply, recipient!.permanent, recipient!.category],
      ['5.2.2', 550, false, 'mailbox_full'],
    )
  })
})

describe('addresses that the fields lack', () => {
  const pipe = ['Final-Recipient: rfc822; |/usr/bin/filter', 'Action: failed', 'Status: 5.0.0']

  test('X-Failed-Recipients', () => {
    const report = reportMail('delivery-status', [[STATUS, ...MTA, ...pipe]], {
      'X-Failed-Recipients': 'jane@example.org, <joe@example.org>',
    })
    assert.deepEqual(
      readReport(report).recipients.map(({ address }) => address),
      ['jane@example.org'],
    )
  })

  test('the only addressee of the email that came back', () => {
    const report = reportMail('delivery-status', [
      [STATUS, ...MTA, ...pipe],
      ['message/rfc822', ...RETURNED],
    ])
    assert.deepEqual(
      readReport(report).recipients.map(({ address }) => address),
      ['jane@example.org'],
    )
  })
})

describe('reports that have lost their form', () => {
  const FIELDS = ['Final-Recipient: rfc822; jane@example.org', 'Action: failed', 'Status: 5.1.1']
  const addresses = (raw: Buffer) => readReport(raw).recipients.map(({ address }) => address)

  test('a boundary that the body does not use', () => {
    const raw = reportMail('delivery-status', [
      ['text/plain', 'This is the mail system'],
      [STATUS, ...MTA, ...FIELDS],
    ])
    const other = Buffer.from(
      raw.toString().replace('boundary=b', 'boundary=other').replaceAll('--b', '--boundary-1'),
    )
    assert.deepEqual(addresses(other), ['jane@example.org'])
  })

  test('no Content-Type at all', () => {
    const raw = reportMail('delivery-status', [
      ['text/plain', 'This is the mail system'],
      [STATUS, ...MTA, ...FIELDS],
    ])
    const plain = raw
      .toString()
      .replace(/^Content-Type: multipart.*\n/m, '')
      .replaceAll('--b', '--boundary-1')
    assert.deepEqual(addresses(Buffer.from(plain)), ['jane@example.org'])
  })

  test('the fields within a text', () => {
    assert.deepEqual(addresses(systemMail('Undeliverable', 'Technical report:', '', ...FIELDS)), [
      'jane@example.org',
    ])
  })

  test('base64, CRLF, a mixture of line ends, and a line of mbox in front', () => {
    const raw = status(...FIELDS).toString()
    assert.deepEqual(addresses(Buffer.from(raw.replaceAll('\n', '\r\n'))), ['jane@example.org'])
    assert.deepEqual(
      addresses(Buffer.from(raw.replace(/\n/g, (_, at: number) => (at % 2 ? '\n' : '\r\n')))),
      ['jane@example.org'],
    )
    assert.deepEqual(addresses(Buffer.from(`From MAILER-DAEMON Thu Jan  1 00:00:00 2026\n${raw}`)), [
      'jane@example.org',
    ])
    const encoded = reportMail('delivery-status', [
      [
        `${STATUS}\nContent-Transfer-Encoding: base64`,
        Buffer.from([...MTA, ...FIELDS].join('\n')).toString('base64'),
      ],
    ])
    assert.deepEqual(addresses(encoded), ['jane@example.org'])
  })

  test('message/global-delivery-status (RFC 6533)', () => {
    const report = reportMail('delivery-status', [
      ['message/global-delivery-status', ...MTA, 'Final-Recipient: utf-8; 🐈@example.org', 'Action: failed'],
    ])
    assert.deepEqual(addresses(report), ['🐈@example.org'])
  })

  test('HTML alone', () => {
    const report = mail(
      {
        From: 'MAILER-DAEMON@mx.test',
        To: 'sender@acme.test',
        Subject: 'Failure notice',
        'Content-Type': 'text/html',
      },
      '<p>Sorry, we were unable to deliver your message to the following address.</p>',
      '<p>&lt;jane@example.org&gt;:<br>550 5.1.1 User unknown</p>',
    )
    assert.deepEqual(addresses(report), ['jane@example.org'])
  })

  test('ISO-2022-JP without a label', () => {
    const japanese = Buffer.from('GyRCQXc/LiRHJC0kXiQ7JHMkRyQ3JD8hIxsoQg==', 'base64')
    const raw = Buffer.concat([systemMail('Mail'), japanese, Buffer.from('\n\n<jane@example.org>\n')])
    assert.deepEqual(addresses(raw), ['jane@example.org'])
  })
})

test('a report that reports on another one is about the outer recipient', () => {
  const inner = reportMail('delivery-status', [
    [STATUS, ...MTA, 'Final-Recipient: rfc822; joe@example.org', 'Action: failed'],
  ])
  const outer = reportMail('delivery-status', [
    [STATUS, ...MTA, 'Final-Recipient: rfc822; jane@example.org', 'Action: failed'],
    ['message/rfc822', inner.toString()],
  ])
  assert.deepEqual(
    readReport(outer).recipients.map(({ address }) => address),
    ['jane@example.org'],
  )
})

test('a report that only passes another one on is read for it', () => {
  const inner = reportMail('delivery-status', [
    [STATUS, ...MTA, 'Final-Recipient: rfc822; jane@example.org', 'Action: failed'],
    ['text/rfc822-headers', ...RETURNED.slice(0, 6)],
  ])
  const outer = reportMail('delivery-status', [
    ['text/plain', 'Your message could not be delivered.'],
    ['message/rfc822', inner.toString()],
  ])
  const { recipients, returned } = readReport(outer)
  assert.deepEqual(
    recipients.map(({ address }) => address),
    ['jane@example.org'],
  )
  assert.equal(returned.messageId, '<1@acme.test>')
})

test('a report that a person attached is read for its recipients, and says that it was enclosed', () => {
  const report = reportMail('delivery-status', [
    [
      'message/delivery-status',
      'Final-Recipient: rfc822; jane@example.org',
      'Action: failed',
      'Status: 5.1.1',
    ],
    ['message/rfc822', ...RETURNED],
  ])
  const forwarded = reportMail(
    'x',
    [
      ['text/plain', 'Have a look at the attachment.'],
      ['message/rfc822', report.toString().replaceAll('--b', '--c').replace('boundary=b', 'boundary=c')],
    ],
    {
      'Return-Path': '<joe@example.org>',
      From: 'joe@example.org',
      Subject: 'Fwd: Undelivered Mail',
      'Content-Type': 'multipart/mixed; boundary=b',
    },
  )
  const { kind, recipients, returned, enclosed } = readReport(forwarded)
  assert.deepEqual(
    [kind, recipients.map(({ address }) => address), returned.messageId, enclosed],
    ['bounce', ['jane@example.org'], '<1@acme.test>', true],
  )
})

test('names the email: Message-ID, Feedback-ID and author of the returned message', () => {
  const report = reportMail('delivery-status', [
    [STATUS, ...MTA, 'Final-Recipient: rfc822; jane@example.org', 'Action: failed'],
    [
      'text/rfc822-headers',
      'Message-ID: <1@acme.test>',
      'Feedback-ID: 1:2:3:acme',
      'From: Acme <sender@acme.test>',
    ],
  ])
  assert.deepEqual(readReport(report).returned, {
    messageId: '<1@acme.test>',
    feedbackId: '1:2:3:acme',
    from: 'sender@acme.test',
    envelopeId: 'e1@acme.test',
    mailFrom: null,
  })
})

test('names the email by X-Original-Message-ID among the fields for programs: Google', () => {
  const fields = ['X-Original-Message-ID: <1@acme.test>', '', 'Final-Recipient: rfc822; jane@example.org']
  assert.equal(
    readReport(reportMail('delivery-status', [[STATUS, ...fields, 'Action: failed']])).returned.messageId,
    '<1@acme.test>',
  )
})

test('a mail by the address with which Exchange Online reports is a report', () => {
  const from = { From: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.org>' }
  const raw = mail(
    { ...from, Subject: 'No se puede entregar: Hello' },
    'No se pudo entregar a:',
    '',
    'jane@example.org',
  )
  assert.equal(readReport(raw).kind, 'bounce')
})

test('CFBL-Feedback-ID (RFC 9477) names the email where it has no Feedback-ID', () => {
  const report = reportMail('feedback-report', [
    ['message/feedback-report', 'Feedback-Type: abuse', 'Version: 1'],
    ['text/rfc822-headers', 'From: Acme <sender@acme.test>', 'CFBL-Feedback-ID: 111:222:333:4444'],
  ])
  const { kind, returned } = readReport(report)
  assert.deepEqual([kind, returned.feedbackId], ['complaint', '111:222:333:4444'])
})

test('reports of success only are no bounce', () => {
  for (const action of ['delivered', 'relayed', 'expanded (to multi-recipient alias)', 'deliverable']) {
    const { kind, recipients } = readReport(
      status('Final-Recipient: rfc822; jane@example.org', `Action: ${action}`, 'Status: 2.1.5'),
    )
    assert.deepEqual([kind, recipients[0]!.permanent, recipients[0]!.category], ['none', false, null])
  }
})
