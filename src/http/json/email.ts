/** An email as `GET /emails/{id}` shows it. */
import type { StoredEmail } from '../../store/store.ts'
import type { Shown } from './emails/schemas.ts'

/** ISO 8601 with microseconds and a UTC offset, e.g. `2026-11-20T22:55:01.123000+00:00`. `at`: Unix milliseconds. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000+00:00`
}

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
  }
}
