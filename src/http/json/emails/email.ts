/** An email in the answers of `GET /emails/{id}` and `GET /emails`. */
import type { EmailSummary } from '../../../email/stored-email.ts'
import { largeBodies, textOf } from '../../../mail/body.ts'
import type { MessageBody } from '../../../mail/message.ts'
import type { StoredEmail } from '../../../store/store.ts'
import type { LongAnswer } from '../../answer.ts'
import { longJson } from '../../json-pieces.ts'
import { timestamp } from '../timestamp.ts'
import type { EmailItemJson, EmailJson } from './schemas.ts'

/** All fields of the interface are always present, because some clients cannot parse an email that lacks one. */
export function emailJson(email: StoredEmail): string {
  return JSON.stringify(emailFields(email, textOf) satisfies EmailJson)
}

/** The same in pieces, for a long email. The answer takes over the content: the caller must not use it again. */
export function longEmailJson(email: StoredEmail): LongAnswer {
  return longJson(
    emailFields(email, (body) => body),
    largeBodies(email.content),
  )
}

function emailFields<Text>(email: StoredEmail, of: (body: MessageBody) => Text) {
  const { content } = email
  return {
    object: 'email' as const,
    ...emailJsonOf(email, content),
    html: of(content.html ?? ''),
    text: of(content.text ?? ''),
  }
}

type ContentField = 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId'

/** The fields that an email has both in a list and alone. In a list, both parameters are the email itself. */
export function emailJsonOf(
  { id, bcc, createdAt, lastEvent, scheduledAt, tags }: Omit<EmailSummary, ContentField>,
  { from, to, cc, replyTo, subject, messageId }: Pick<EmailSummary, ContentField>,
): EmailItemJson {
  return {
    id,
    message_id: messageId,
    from,
    to,
    cc,
    bcc,
    reply_to: replyTo.length === 0 ? null : replyTo,
    subject,
    created_at: timestamp(createdAt),
    last_event: lastEvent,
    scheduled_at: scheduledAt === null ? null : timestamp(scheduledAt),
    tags,
  }
}
