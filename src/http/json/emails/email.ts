/** An email as `GET /emails/{id}` shows it, and `GET /emails` lists it. */
import type { EmailSummary } from '../../../email/stored-email.ts'
import type { StoredEmail } from '../../../store/store.ts'
import { timestamp } from '../timestamp.ts'
import type { Listed, Shown } from './schemas.ts'

/** All twelve fields of the interface are always there; some clients cannot read an email without one. */
export function emailJson(email: StoredEmail): string {
  return JSON.stringify(shown(email))
}

/** Characters that are written at once: escaped, they may be six times as many. */
const SLICE = 16 * 1024

/**
 * The same in pieces, for an email that is long: as a whole it would keep this thread, and take six times its octets.
 */
export function* emailJsonPieces(email: StoredEmail): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(shown(email))) {
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (typeof value === 'string') yield* stringPieces(value)
    else if (Array.isArray(value)) yield* arrayPieces(value)
    else yield JSON.stringify(value)
  }
  yield '}'
}

function* stringPieces(text: string): Generator<string> {
  yield '"'
  let end: number
  for (let start = 0; start < text.length; start = end) {
    end = start + SLICE
    // Not between the halves of a surrogate pair.
    if (text.charCodeAt(end - 1) >>> 10 === 0x36) end++
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
  }
  yield '"'
}

function* arrayPieces(items: readonly unknown[]): Generator<string> {
  let before = '['
  for (const item of items) {
    yield before + JSON.stringify(item)
    before = ','
  }
  yield items.length === 0 ? '[]' : ']'
}

function shown(email: StoredEmail): Shown {
  const { content } = email
  return {
    object: 'email',
    ...shownOf(email, content),
    html: content.html ?? '',
    text: content.text ?? '',
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
