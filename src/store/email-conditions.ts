/** What a filter of emails comes to as values of a statement; null: it narrows nothing. */
import type { TagFilter } from '../email/event.ts'
import type { EmailFilter } from '../email/stored-email.ts'

export interface EmailConditions {
  domainId: string | null
  to: string | null
  from: string | null
  subject: string | null
  /** A part of the column `tags`. */
  tag: string | null
  events: readonly string[] | null
  since: number | null
  until: number | null
}

export function conditionsOf(filter: EmailFilter): EmailConditions {
  const { domainId, to, from, subject, tag, events, since, until } = filter
  return {
    domainId: domainId ?? null,
    to: to === undefined ? null : foldedAscii(to),
    from: from === undefined ? null : foldedAscii(from),
    subject: subject === undefined ? null : foldedAscii(subject),
    tag: tag === undefined ? null : tagText(tag),
    events: events ?? null,
    since: since === undefined ? null : Math.ceil(since),
    until: until === undefined ? null : Math.ceil(until),
  }
}

/**
 * What the JSON of a list with this tag has in it. A quotation mark within a name or value is escaped there, so that
 * nothing else looks like it.
 */
function tagText({ name, value }: TagFilter): string {
  return value === undefined ? `{"name":${JSON.stringify(name)},` : JSON.stringify({ name, value })
}

export function foldedAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
