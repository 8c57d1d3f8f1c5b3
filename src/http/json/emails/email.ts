/** An email as `GET /emails/{id}` shows it, and `GET /emails` lists it. */
import type { EmailSummary } from '../../../email/stored-email.ts'
import { largeBodies, textOf } from '../../../mail/body.ts'
import type { MessageBody } from '../../../mail/message.ts'
import type { StoredEmail } from '../../../store/store.ts'
import type { LongAnswer } from '../../answer.ts'
import { longJson } from '../../json-pieces.ts'
import { timestamp } from '../timestamp.ts'
import type { Listed, Shown } from './schemas.ts'

/** All twelve fields of the interface are always there; some clients cannot read an email without one. */
export function emailJson(email: StoredEmail): string {
  return JSON.stringify(shown(email, textOf) satisfies Shown)
}

/** The same in pieces, for an email that is long. Nobody else may hold its content. */
export function longEmailJson(email: StoredEmail): LongAnswer {
  return longJson(
    shown(email, (body) => body),
    largeBodies(email.content),
  )
}

function shown<Text>(email: StoredEmail, of: (body: MessageBody) => Text) {
  const { content } = email
  return {
    object: 'email' as const,
    ...shownOf(email, content),
    html: of(content.html ?? ''),
    text: of(content.text ?? ''),
  }
}

type OfContent = 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId'

/** What is shown of an email wherever it is; `content`: in a list it is the email itself. */
export function shownOf(
  { id, bcc, createdAt, lastEvent, scheduledAt, tags }: Omit<EmailSummary, OfContent>,
  { from, to, cc, replyTo, subject, messageId }: Pick<EmailSummary, OfContent>,
): Listed {
  return {
    ...{ id, message_id: messageId, from, to, cc, bcc },
    reply_to: replyTo.length === 0 ? null : replyTo,
    subject,
    created_at: timestamp(createdAt),
    last_event: lastEvent,
    scheduled_at: scheduledAt === null ? null : timestamp(scheduledAt),
    tags,
  }
}
