import type { ReceivedMail } from '../../inbound/arrived-mail.ts'
import type { InboundMail } from '../../store/store.ts'
import { isoTime } from './time.ts'

export function returnedMailJson(mail: InboundMail) {
  return {
    id: mail.id,
    company_id: mail.companyId,
    email_id: mail.emailId,
    at: isoTime(mail.at),
    times: mail.times,
    source: mail.source,
    peer: mail.peer,
    recipient: mail.recipient,
    from: mail.from,
    subject: mail.subject,
    kind: mail.kind,
    outcome: mail.outcome,
    note: mail.note,
    events: mail.events,
    recipients: mail.findings,
    size: mail.size,
    kept: mail.kept,
  }
}

/** The outcome of a mail that was handed in, for the program that did so. */
export function receivedMailJson({ id, kind, outcome, note, events, emailId }: ReceivedMail) {
  return { id, kind, outcome, note, events, email_id: emailId }
}
