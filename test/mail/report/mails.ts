/** Short mails in the manner of the servers that write them. */

/** A mail with LF lines, as files have them; the reader takes CRLF as well. */
export function mail(fields: Record<string, string>, ...body: string[]): Buffer {
  const header = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${header.join('\n')}\n\n${body.join('\n')}\n`)
}

/** From a mail system to the sender. */
export function systemMail(subject: string, ...body: string[]): Buffer {
  return mail(
    {
      'Return-Path': '<>',
      From: 'Mail System <postmaster@mx.test>',
      To: 'sender@acme.test',
      Subject: subject,
    },
    ...body,
  )
}

/** The email that came back, as lines. */
export const RETURNED = [
  'Received: from acme.test by mx.test; Thu, 1 Jan 2026 00:00:00 +0000',
  'Message-ID: <1@acme.test>',
  'From: Acme <sender@acme.test>',
  'To: jane@example.org',
  'Subject: Hello',
  'MIME-Version: 1.0',
  '',
  'Hello from other@example.com',
]

/** A multipart/report (RFC 6522). @param parts media type and content of each */
export function reportMail(
  type: string,
  parts: readonly (readonly [type: string, ...content: string[]])[],
  fields: Record<string, string> = {},
): Buffer {
  const lines = parts.flatMap(([media, ...content]) => ['--b', `Content-Type: ${media}`, '', ...content])
  return mail(
    {
      'Return-Path': '<>',
      From: 'MAILER-DAEMON@mx.test',
      To: 'sender@acme.test',
      Subject: 'Undelivered Mail',
      'Content-Type': `multipart/report; report-type=${type}; boundary=b`,
      ...fields,
    },
    ...lines,
    '--b--',
  )
}
