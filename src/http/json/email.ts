/** An email as `GET /emails/{id}` shows it. */
import type { StoredEmail } from '../../store/store.ts'

/** ISO 8601 with microseconds and a UTC offset, e.g. `2026-11-20T22:55:01.123000+00:00`. `at`: Unix milliseconds. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000+00:00`
}

/** All twelve fields of the interface are always there; some clients cannot read an email without one. */
export function emailJson(email: StoredEmail): string {
  const { content } = email
  return JSON.stringify({
    object: 'email',
    id: email.id,
    from: content.from,
    to: content.to,
    cc: content.cc,
    bcc: email.bcc,
    reply_to: content.replyTo.length === 0 ? null : content.replyTo,
    subject: content.subject,
    html: content.html ?? '',
    text: content.text ?? '',
    created_at: timestamp(email.createdAt),
    last_event: email.lastEvent,
    message_id: content.messageId,
    scheduled_at: email.scheduledAt === null ? null : timestamp(email.scheduledAt),
    tags: email.tags,
  })
}
