import { BOUNCE_CATEGORIES } from '../../src/mail/reply/category.ts'
import { readReport } from '../../src/mail/report/read-report.ts'
import { REPORT_KINDS } from '../../src/mail/report/report.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

const HEAD = 'Return-Path: <>\r\nFrom: MAILER-DAEMON@x.test\r\nTo: a@x.test\r\nSubject: Undelivered Mail\r\n'

/** Whatever comes back is read, and what is read of it can be stored and shown. */
export const report: FuzzTarget = {
  name: 'report',
  about: 'bounces, complaints and automatic replies',
  encoding: 'latin1',
  seeds: [
    `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nThis is the mail system at host x.test.\r\n\r\n<b@y.test>: host y said: 550 5.1.1 User unknown\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x.test\r\n\r\nFinal-Recipient: rfc822; b@y.test\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550-5.1.1 User\r\n unknown\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <1@x.test>\r\nTo: b@y.test\r\n\r\nhi\r\n--b--\r\n`,
    `${HEAD}\r\nHi. This is the qmail-send program at x.test.\r\n\r\n<b@y.test>:\r\n192.0.2.1 does not like recipient.\r\nRemote host said: 550 5.1.1 User unknown\r\n\r\n--- Below this line is a copy of the message.\r\n\r\nReceived: x\r\nMessage-ID: <1@x.test>\r\nFrom: a@x.test\r\n`,
    `${HEAD}X-Failed-Recipients: b@y.test, =?utf-8?q?c=40y.test?=\r\n\r\nThis message was created automatically by mail delivery software.\r\n\r\n  b@y.test\r\n    (generated from c@y.test)\r\n    retry timeout exceeded\r\n`,
    `${HEAD}\r\n   ----- Transcript of session follows -----\r\n>>> MAIL From:<a@x.test>\r\n<<< 550-one\r\n<<< 550 two\r\n550 <b@y.test>... User unknown\r\n`,
    'From: f@x.test\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Rcpt-To: <b@y.test>\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: a@x.test\r\nFeedback-ID: 1\r\n--b--\r\n',
    'From: f@x.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nspam\r\n--b\r\nContent-Type: application/json\r\n\r\n{"ReporterInfo":{},"Report":{"ReportType":"Spam","SmtpRcptToAddress":["b@y.test"],"SmtpMailFromAddress":"a@x.test","Samples":[{"ContentType":"message/rfc822","Base64Encoded":false,"Payload":"Message-ID: <1@x.test>\\n\\nhi"}]}}\r\n--b--\r\n',
    'From: f@x.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nspam\r\n--b\r\nContent-Type: application/json\r\n\r\n{"xarf_version":"4.0.0","category":"messaging","type":"spam","smtp_to":"b@y.test","message_id":"1@x.test","evidence":[{"content_type":"message/rfc822","payload":"VG86IGJAeS50ZXN0"}]}\r\n--b--\r\n',
    'From: f@x.test\r\nX-ARF: YES\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nspam\r\n--b\r\n\r\nReported-From: f@x.test\r\nReport-Type: spam\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nTo: b@y.test\r\n\r\nhi\r\n--b--\r\n',
    'From: b@y.test\r\nSubject: Re: x\r\nAuto-Submitted: auto-replied\r\nIn-Reply-To: <1@x.test>\r\n\r\nAway.\r\n',
    `${HEAD}\r\n--lost-boundary\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\nFinal-Recipient: utf-8; \\x{1F408}@y.test\r\n--lost-boundary--\r\n`,
    `${HEAD}Content-Type: text/html\r\n\r\n<p>Delivery to the following recipients failed.</p><p>b@y.test</p>`,
    `${HEAD}\r\n\x1b$B\x21\x21\x1b(B\r\n<b@y.test>\r\n`,
  ],
  tokens: [
    ...words(
      '\r\n \n \r\n\r\n --b --b-- --lost-boundary <b@y.test> b@y.test : ... > < @ " \0 \x1b$B \xff \xf0\x9f\x90\x88 550 5.1.1 550-',
      'rfc822; utf-8; \\x{1F408} mailto: >>> <<< [ ( ) = =3D =?utf-8?q?x?=',
    ),
    'Content-Type: message/delivery-status\r\n\r\n',
    'Content-Type: message/rfc822\r\n\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    'Final-Recipient: ',
    'Original-Recipient: ',
    'Action: delayed\r\n',
    'Status: 4.2.2\r\n',
    'Diagnostic-Code: smtp; ',
    'Feedback-Type: ',
    'Report-Type: ',
    '"Samples":[',
    '"Report":{',
    'Subject: Re: ',
    '(expanded from: <c@y.test>)',
    'Message headers follow.\r\n',
    'Remote host said: ',
    ' ',
  ],
  run(input) {
    const { kind, recipients, returned } = readReport(input)
    assert(REPORT_KINDS.includes(kind), 'a kind that is none')
    assert(recipients.length <= 1_000, 'too many recipients')
    for (const { address, original, action, status, reply, message, permanent, category } of recipients) {
      for (const each of [address, original]) {
        assert(each === null || /^[^\r\n<>]{1,130}@[^\s<>@]{1,253}$/.test(each), 'an address that is none')
      }
      assert(status === null || /^[245]\.\d{1,3}\.\d{1,3}$/.test(status), 'a status that is none')
      assert(reply === null || (reply >= 200 && reply < 600), 'a code that is none')
      assert(message.length <= 1_000 && !/[\r\n]/.test(message), 'words that are no line')
      const refused = action === 'failed' || action === 'delayed'
      assert(refused === (category !== null), 'a category without a refusal, or the other way around')
      assert(category === null || BOUNCE_CATEGORIES.includes(category), 'a category that is none')
      assert(!permanent || action === 'failed', 'an address is dead that was not refused')
    }
    const failed = recipients.some(({ action }) => action === 'failed')
    const delayed = recipients.some(({ action }) => action === 'delayed')
    assert(kind === 'bounce' || !failed, 'a failure in a mail that is no bounce')
    assert(kind === 'bounce' || kind === 'delay' || !delayed, 'a delay in a mail that is no report')
    for (const name of Object.values(returned)) {
      assert(
        name === null || (name.length > 0 && name.length <= 1_300),
        'a name of an email that is too long',
      )
    }
  },
}
