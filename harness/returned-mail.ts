/** Returned mails, as servers and providers write them. */

export interface BounceText {
  /** The recipient that the mail is about. */
  to: string
  action?: 'failed' | 'delayed' | 'delivered'
  status?: string
  words?: string
  /** The Message-ID of the returned email, and its author. */
  messageId?: string | null
  author?: string
  /** Header fields of the report itself. */
  from?: string
  id?: string
  addressee?: string
  subject?: string
  /** ENVID of the returned email. */
  envelopeId?: string
  /** MAIL FROM of the returned email: in the returned header, or in a field of a complaint. */
  mailFrom?: string
}

/** RFC 3464. */
export function bounce({
  to,
  action = 'failed',
  status = '5.1.1',
  words = `smtp; 550 ${status} <${to}>: Recipient address rejected: User unknown`,
  messageId = null,
  author = 'news@acme.example',
  from = 'MAILER-DAEMON@mx.rcpt.test',
  id = `<${Math.random().toString(36).slice(2)}@mx.rcpt.test>`,
  addressee = 'return-path@bounces.acme.example',
  subject = 'Undelivered Mail Returned to Sender',
  envelopeId,
  mailFrom,
}: BounceText): string {
  return [
    `From: Mail Delivery System <${from}>`,
    `To: ${addressee}`,
    `Message-ID: ${id}`,
    'Date: Sat, 28 Nov 2026 10:00:00 +0000',
    `Subject: ${subject}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'This is the mail system at host mx.rcpt.test.',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    ...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
    'Reporting-MTA: dns; mx.rcpt.test',
    '',
    `Final-Recipient: rfc822; ${to}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${words}`,
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    ...(mailFrom === undefined ? [] : [`Return-Path: <${mailFrom}>`]),
    ...returnedHeader({ messageId, author, to }),
    '',
    '--b--',
    '',
  ].join('\r\n')
}

type ComplaintText = Pick<
  BounceText,
  'to' | 'messageId' | 'author' | 'id' | 'addressee' | 'subject' | 'mailFrom'
>

interface FeedbackReportLines {
  head: readonly string[]
  words: string
  /** Of the part for programs. */
  fields: readonly string[]
  /** The third part, with its header. */
  last: readonly string[]
}

function feedbackReport({ head, words, fields, last }: FeedbackReportLines): string {
  return [
    ...head,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    words,
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    ...fields,
    '',
    '--b',
    ...last,
    '--b--',
    '',
  ].join('\r\n')
}

/** RFC 5965. */
export function complaint({
  to,
  messageId = null,
  author = 'news@acme.example',
  id = '<complaint-1@fbl.rcpt.test>',
  addressee = 'return-path@bounces.acme.example',
  subject = 'FW: Hello',
  mailFrom,
}: ComplaintText): string {
  return feedbackReport({
    head: ['From: <feedback@fbl.rcpt.test>', `To: ${addressee}`, `Message-ID: ${id}`, `Subject: ${subject}`],
    words: 'This is an email abuse report.',
    fields: [
      'Feedback-Type: abuse',
      'User-Agent: Rcpt-Feedback/1.0',
      'Version: 1',
      `Original-Rcpt-To: <${to}>`,
      ...(mailFrom === undefined ? [] : [`Original-Mail-From: <${mailFrom}>`]),
    ],
    last: ['Content-Type: message/rfc822', '', ...returnedHeader({ messageId, author, to }), '', 'Hello'],
  })
}

/** X-ARF, in JSON, without the reported mail. */
export function abuseReport({ to, mailFrom }: { to: string; mailFrom: string }): string {
  const report = { ReportType: 'Spam', SmtpMailFromAddress: mailFrom, SmtpRcptToAddress: to }
  return feedbackReport({
    head: [
      'From: <reports@reporter.test>',
      'To: abuse@acme.example',
      `Message-ID: <${mailFrom.slice(0, 40)}@reporter.test>`,
      'Subject: Abuse report',
    ],
    words: 'Spam was reported.',
    fields: ['Feedback-Type: xarf', 'User-Agent: Reporter/1.0', 'Version: 1'],
    last: [
      'Content-Type: application/json; name="xarf.json"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(JSON.stringify({ Version: '3', ReporterInfo: {}, Report: report })).toString('base64'),
    ],
  })
}

/** RFC 3834. */
export function vacation(from: string): string {
  return [
    `From: ${from}`,
    'To: return-path@bounces.acme.example',
    'Message-ID: <vacation-1@rcpt.test>',
    'Subject: Out of office',
    'Auto-Submitted: auto-replied',
    'Content-Type: text/plain',
    '',
    'I am away until Monday. <script>alert(1)</script>',
    '',
  ].join('\r\n')
}

/** The header of the email that is reported on. */
function returnedHeader({
  messageId,
  author,
  to,
}: {
  messageId: string | null
  author: string
  to: string
}): string[] {
  return [
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    `From: ${author}`,
    `To: ${to}`,
    'Subject: Hello',
  ]
}
