/** The words of the page for kinds and outcomes. */
import type { InboundKind, InboundOutcome } from '../../../../src/email/inbound-mail.ts'

export const KINDS: Readonly<Record<InboundKind, string>> = {
  bounce: 'Bounce',
  delay: 'Delay',
  delivery: 'Delivery report',
  complaint: 'Complaint',
  auto_reply: 'Automatic reply',
  none: 'Other mail',
}

export const OUTCOMES: Readonly<Record<InboundOutcome, string>> = {
  recorded: 'Recorded',
  repeated: 'Already known',
  kept: 'Not a bounce',
  unproven: 'Not trusted',
  no_email: 'Unknown email',
  other_email: 'Other message',
  no_recipient: 'Unknown recipient',
  too_many: 'Too many reports',
  counted: 'Counted',
  not_counted: 'Not counted',
}
