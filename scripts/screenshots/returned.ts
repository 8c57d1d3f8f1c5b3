/** Mail that came back about emails of the installation. */
import type { NewInboundMail } from '../../src/email/inbound-mail.ts'
import { idAt } from '../../src/email/suppression.ts'

const MINUTE = 60_000

function mailAbout(
  emailId: string | undefined,
  ago: number,
  change: Partial<NewInboundMail>,
): NewInboundMail {
  const at = Date.now() - ago * MINUTE
  const id = idAt(at)
  const raw = Buffer.from(`Subject: ${change.subject}\r\n\r\nThe message.\r\n`)
  return {
    ...{ id, digest: id, at, source: 'smtp', peer: '198.51.100.7', refused: null, note: null },
    ...{
      recipient: 'bounces@bounces.acme.test',
      from: 'Mail Delivery System <MAILER-DAEMON@mx1.bigmail.example>',
    },
    ...{ subject: '', kind: 'bounce', emailId: emailId ?? null, findings: [], size: raw.length, raw },
    ...change,
  }
}

export function returnedMails([first, second, third]: readonly string[]): NewInboundMail[] {
  const finding = {
    action: 'failed',
    status: '5.1.1',
    reply: 550,
    permanent: true,
    category: 'address_unknown',
  } as const
  return [
    mailAbout(third, 190, {
      ...{ kind: 'none', refused: 'kept', subject: 'Question about your newsletter', emailId: null },
      from: 'Otto Normal <otto@muenchen.example>',
    }),
    mailAbout(third, 130, {
      ...{ refused: 'unproven', subject: 'Delivery Status Notification (Failure)', peer: '203.0.113.66' },
      findings: [{ ...finding, address: 'grace@navy.example', message: 'User unknown' }],
    }),
    mailAbout(second, 75, {
      ...{ kind: 'delay', subject: 'Delivery delayed: What is new in November' },
      findings: [
        {
          ...finding,
          ...{ action: 'delayed', status: '4.4.1', reply: 451, permanent: false, category: 'network' },
          ...{ address: 'karl@muenchen.example', message: 'Connection timed out' },
        },
      ],
    }),
    mailAbout(second, 40, {
      ...{ kind: 'auto_reply', refused: 'kept', subject: 'Automatic reply: out of office until Monday' },
      from: 'Karl <karl@muenchen.example>',
    }),
    mailAbout(first, 4, {
      subject: 'Undelivered Mail Returned to Sender',
      findings: [
        {
          ...finding,
          address: 'sofia.old@bigmail.example',
          message: 'Recipient address rejected: User unknown in virtual mailbox table',
        },
      ],
    }),
  ]
}
