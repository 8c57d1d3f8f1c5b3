/** Complaints, automatic replies, and mail that reads like a bounce but is not one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReport } from '../../../src/mail/report/read-report.ts'
import { mail, RETURNED, reportMail, systemMail } from './mails.ts'

describe('feedback reports (RFC 5965)', () => {
  const feedback = (...lines: string[]) =>
    reportMail('feedback-report', [
      ['text/plain', 'This is an email abuse report.'],
      ['message/feedback-report', 'User-Agent: test/1', 'Version: 1', ...lines],
      ['message/rfc822', ...RETURNED],
    ])
  const read = (...lines: string[]) => {
    const { kind, recipients, returned } = readReport(feedback(...lines))
    return [kind, recipients.map(({ address }) => address), returned.messageId]
  }

  test('abuse, fraud and opt-out are complaints of the recipients that the fields name', () => {
    assert.deepEqual(read('Feedback-Type: abuse', 'Original-Rcpt-To: <joe@example.org>'), [
      'complaint',
      ['joe@example.org'],
      '<1@acme.test>',
    ])
    assert.equal(read('Feedback-Type: fraud')[0], 'complaint')
    assert.deepEqual(read('Feedback-Type: opt-out', 'Removal-Recipient: joe@example.org')[1], [
      'joe@example.org',
    ])
  })

  test('without such a field, by the only addressee of the email', () => {
    assert.deepEqual(read('Feedback-Type: abuse')[1], ['jane@example.org'])
  })

  test('the keyword counts, not the words after it', () => {
    const kinds = ['Abuse (spam)', 'not-spam (ham)'].map((type) => read(`Feedback-Type: ${type}`)[0])
    assert.deepEqual(kinds, ['complaint', 'none'])
  })

  test('the fields in a part of text are the fields', () => {
    const report = reportMail('feedback-report', [
      ['text/plain', 'This is an email abuse report.'],
      ['text/plain', 'Feedback-Type: abuse', 'User-Agent: test/1', 'Original-Rcpt-To: <joe@example.org>'],
      ['message/rfc822', ...RETURNED],
    ])
    const { kind, recipients, returned } = readReport(report)
    assert.deepEqual(
      [kind, recipients.map(({ address }) => address), returned.messageId],
      ['complaint', ['joe@example.org'], '<1@acme.test>'],
    )
  })

  test('a failed authentication is none (RFC 6591), and neither is not-spam', () => {
    assert.deepEqual(read('Feedback-Type: auth-failure', 'Original-Rcpt-To: joe@example.org').slice(0, 2), [
      'none',
      [],
    ])
    assert.deepEqual(read('Feedback-Type: not-spam').slice(0, 2), ['none', []])
  })

  test('a complaint says nothing about delivery', () => {
    const [recipient] = readReport(feedback('Feedback-Type: abuse')).recipients
    const { action, status, reply, message, permanent, category } = recipient!
    assert.deepEqual(
      [action, status, reply, message, permanent, category],
      [null, null, null, '', false, null],
    )
  })

  test('Outlook.com attaches the mail, with a field for its recipient', () => {
    const report = reportMail(
      'x',
      [['message/rfc822', 'X-HmXmrOriginalRecipient: jane@example.org', ...RETURNED]],
      {
        From: '<staff@hotmail.com>',
        Subject: 'complaint about message from 192.0.2.1',
        'Content-Type': 'multipart/mixed; boundary=b',
      },
    )
    const { kind, recipients } = readReport(report)
    assert.deepEqual([kind, recipients.map(({ address }) => address)], ['complaint', ['jane@example.org']])
  })
})

test('an answer of FML is a bounce, and a member’s mail that quotes it is not', () => {
  const text = [
    'You are not a member of this mailing list.',
    '',
    'Original mail as follows:',
    '',
    ...RETURNED,
  ]
  const answer = (from: string) =>
    readReport(
      mail({ From: from, Subject: 'NOT MEMBER article (dev ML)', 'X-MLServer': 'fml [fml 4.0.3]' }, ...text),
    )
  const { kind, recipients } = answer('dev-admin@example.org')
  const [{ address, category, permanent } = assert.fail()] = recipients
  assert.deepEqual([kind, address, category, permanent], ['bounce', 'jane@example.org', 'policy', false])
  assert.equal(answer('joe@example.org').kind, 'none')
})

describe('automatic replies', () => {
  const from = { From: 'jane@example.org', To: 'sender@acme.test' }
  const REPLIES: Record<string, Record<string, string>> = {
    'Auto-Submitted (RFC 3834)': { 'Auto-Submitted': 'auto-replied (vacation)', Subject: 'Away' },
    'an empty reverse path, too': {
      'Return-Path': '<>',
      'Auto-Submitted': 'auto-replied',
      Subject: 'Delivery of the goods',
    },
    'X-Autoreply': { 'X-Autoreply': 'yes', Subject: 'Thank you' },
    'Precedence: auto_reply': { Precedence: 'auto_reply', Subject: 'Thank you' },
    'the subject of Exchange': { Subject: 'Automatic reply: Hello' },
    'the subject of Exchange in French': { Subject: '=?utf-8?q?R=C3=A9ponse_automatique_=3A_Bonjour?=' },
    'an empty reverse path, in any language': { 'Return-Path': '<>', Subject: 'Merhaba' },
    'Auto-Submitted: auto-generated': { 'Auto-Submitted': 'auto-generated', Subject: '[Ticket#1] Hello' },
    'X-Apple-Action': { 'X-Apple-Action': 'AVACATION/vacation', Subject: 'Hello' },
    'Delivered-To: Autoresponder': { 'Delivered-To': 'Autoresponder', Subject: 'Hello' },
    'the subject of programs without fields': { Subject: 'Out of Office: Hello' },
  }
  for (const [name, fields] of Object.entries(REPLIES)) {
    test(name, () => {
      const raw = mail(
        { ...from, ...fields, 'In-Reply-To': '<1@acme.test>' },
        'I am away.',
        '',
        'Ask joe@example.org',
      )
      const { kind, recipients, returned } = readReport(raw)
      assert.deepEqual([kind, recipients, returned.messageId], ['auto_reply', [], '<1@acme.test>'])
    })
  }

  const SUBJECTS = [
    'I am out of the office',
    'OOO: Hello',
    '[EXTERNAL] Automatic reply: Hello',
    'Yahoo! Auto Response',
    'Urlaub: Hallo',
    'Absent(e) du bureau',
    '自动回复: 订单',
    '自動応答: 件名',
    '不在通知',
    'Автоответ: Заказ',
    'Автоматична відповідь: Замовлення',
    'Odpowiedź automatyczna: Zamówienie',
    'Otomatik yanıt: Sipariş',
    'Automatikus válasz: Rendelés',
    'Autosvar: Ordre',
  ]
  for (const subject of SUBJECTS) {
    test(`the subject ${subject}`, () => {
      const encoded = `=?utf-8?b?${Buffer.from(subject).toString('base64')}?=`
      assert.equal(readReport(mail({ ...from, Subject: encoded }, 'Away.')).kind, 'auto_reply')
    })
  }

  test('an answer without any of these is that of a person', () => {
    assert.equal(readReport(mail({ ...from, Subject: 'Re: Hello' }, 'Thank you.')).kind, 'none')
  })

  test('Exim writes auto-replied on its bounces', () => {
    const raw = mail(
      {
        From: 'Mail Delivery System <Mailer-Daemon@mx.test>',
        Subject: 'Mail delivery failed',
        'Auto-Submitted': 'auto-replied',
        'X-Failed-Recipients': 'jane@example.org',
      },
      'This message was created automatically by mail delivery software.',
    )
    assert.equal(readReport(raw).kind, 'bounce')
  })
})

describe('mail that reads like a bounce but is not one', () => {
  const QUOTED = [
    '<jane@example.org>: host mx said: 550 5.1.1 User unknown',
    '',
    'Final-Recipient: rfc822; jane@example.org',
    'Action: failed',
    'Status: 5.1.1',
  ]
  const MAILS: Record<string, Buffer> = {
    'a person who asks about one': mail(
      { From: 'joe@example.org', Subject: 'Re: Undelivered Mail Returned to Sender' },
      'What is this?',
      '',
      ...QUOTED,
    ),
    'an answer of a postmaster': mail(
      { From: 'postmaster@example.org', Subject: 'Re: Undeliverable: Hello' },
      'This is what we have found in the log:',
      '',
      ...QUOTED,
    ),
    'a notice of a shop': mail(
      { 'Return-Path': '<>', From: 'noreply@shop.test', Subject: 'Delivery failed: your parcel' },
      'Your parcel could not be delivered. Write to help@shop.test.',
    ),
    'an answer that quotes one': mail(
      { From: 'postmaster@example.org', Subject: 'Your question' },
      'We have looked at it:',
      ...QUOTED.map((line) => `> ${line}`),
    ),
    'a digest of a list': mail(
      {
        From: 'list@example.org',
        Subject: 'Delivery Status Notification (Failure)',
        Precedence: 'list',
        'List-Id': '<l.example.org>',
      },
      ...QUOTED,
    ),
    'a mail system in name only, which names nobody': mail(
      {
        'Return-Path': '<x@evil.test>',
        From: 'Mail Delivery System <support@evil.test>',
        To: 'sender@acme.test',
        Subject: 'Undelivered mails: 5 messages pending',
      },
      'Dear sender@acme.test, 5 messages could not be delivered to your mailbox sender@acme.test.',
    ),
    'an email that a person attached': reportMail(
      'x',
      [
        ['text/plain', 'Have a look at the attachment.'],
        ['message/rfc822', 'From: postmaster@example.org', 'Subject: Undeliverable', '', ...QUOTED],
      ],
      {
        From: 'joe@example.org',
        Subject: 'A mail',
        'Content-Type': 'multipart/mixed; boundary=b',
        'Return-Path': '<joe@example.org>',
      },
    ),
    'an answer of a person': mail(
      {
        'Return-Path': '<joe@example.org>',
        From: 'joe@example.org',
        Subject: 'Re: Hello',
        'In-Reply-To': '<1@acme.test>',
      },
      'Thank you.',
    ),
    'a notice of a program that answers nothing': mail(
      {
        'Return-Path': '<>',
        'Auto-Submitted': 'auto-generated',
        From: 'noreply@shop.test',
        Subject: 'Your invoice',
      },
      'Attached.',
    ),
    'a read receipt (RFC 8098)': reportMail(
      'disposition-notification',
      [
        ['text/plain', 'The message to jane@example.org has been displayed.'],
        [
          'message/disposition-notification',
          'Final-Recipient: rfc822; jane@example.org',
          'Disposition: manual-action/MDN-sent-manually; displayed',
        ],
      ],
      { From: 'jane@example.org', Subject: 'Read: Hello' },
    ),
    'a newsletter about delivery': mail(
      { From: 'news@shop.test', Subject: 'Delivery status of your parcel' },
      'Your parcel could not be delivered to jane@example.org',
    ),
    'an aggregate report': mail(
      { From: 'noreply@reports.test', Subject: 'Report Domain: acme.test Submitter: reports.test' },
      'Attached.',
    ),
    'a notice by a mail system': systemMail(
      'Your mailbox is almost full',
      'Please delete some mail, or ask help@mx.test.',
    ),
    'a notice by an administrator': systemMail(
      'Scheduled maintenance of the mail system',
      'The mail server will be down on Sunday. Mail sent meanwhile is delivered later.',
      'Questions to help@mx.test.',
    ),
    'a notice of rejected mail': systemMail(
      'Question about your mail',
      'Some of your mails to jane@example.org were rejected by our server (550 5.7.1).',
    ),
    'a statistic of failures': systemMail(
      'Daily statistics',
      'Undeliverable yesterday:',
      '',
      'jane@example.org      550 5.1.1 User unknown',
      'joe@example.org       452 4.2.2 Mailbox full',
    ),
    'a list of mail that was held': systemMail(
      'Quarantine summary for sender@acme.test',
      'The following messages were held:',
      '',
      'eve@example.com     You won',
      'bob@example.com     Cheap pills',
    ),
    'nothing at all': Buffer.alloc(0),
    'no header': Buffer.from('hello'),
    'no text': mail({ From: 'a@b.test' }),
  }
  for (const [name, raw] of Object.entries(MAILS)) {
    test(name, () => {
      const { kind, recipients } = readReport(raw)
      assert.deepEqual([kind, recipients], ['none', []])
    })
  }
})
