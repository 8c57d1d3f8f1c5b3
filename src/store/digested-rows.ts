/** Events of the log as both databases return them for the digest. */
import { CATEGORIZED } from '../email/event.ts'
import type { DigestedEvent } from './make-digest.ts'
import { FILED_CHARACTERS } from './searched-words.ts'

/** The event `v` is the first of the email `e`. */
export const IS_FIRST_EVENT =
  "(v.recipient IS NULL AND v.type IN ('sent', 'scheduled') AND v.at = e.created_at)"

const ALL = 0x7fff_ffff
/**
 * The recipients that get a row of their own: all of them for an event that an email begins with; for any other event
 * its own recipient.
 */
export const ROW_RECIPIENTS = `r.position BETWEEN coalesce(v.recipient, 0)
  AND coalesce(v.recipient, CASE WHEN ${IS_FIRST_EVENT} THEN ${ALL} ELSE -1 END)`

/** For an event that an email begins with, the row of the first recipient also describes the email itself. */
export const FIRST = '(v.recipient IS NULL AND r.position = 0)'
/** The time from which a delivered email could have been sent. */
export const SENDABLE_AT = `CASE WHEN v.type = 'delivered' AND v.recipient IS NOT NULL THEN
  CASE WHEN e.scheduled_at > e.created_at THEN e.scheduled_at ELSE e.created_at END END`

/** The author's address, folded by the database, and the beginnings of the From and To fields. */
export const SENDER_ADDRESSES = (
  folded: (text: string) => string,
) => `CASE WHEN ${FIRST} THEN ${folded('e.sender')} END,
  CASE WHEN ${FIRST} THEN substr(e.header_from, 1, ${FILED_CHARACTERS}) || ' ' || coalesce(substr(e.header_to, 1, ${FILED_CHARACTERS}), '') END`

/** The detail of an event that has a category. */
export const REFUSAL_DETAIL = `CASE WHEN v.type IN (${CATEGORIZED.map((type) => `'${type}'`).join(', ')}) THEN v.detail END`

/**
 * A row of an event, with its fields in the order of the SELECT. An event that an email begins with has a row for each
 * recipient.
 */
export type DigestedRow = [
  number: number,
  company: number,
  type: string,
  at: number,
  place: number,
  domainId: string,
  tags: string | null,
  recipientDomain: string | null,
  /** 0 or 1. */
  begins: number,
  /** Folded for comparison; only for recipients of an event that an email begins with. */
  address: string | null,
  sendableAt: number | null,
  keyId: string | null,
  subject: string | null,
  /** JSON; only of events that have a category. */
  refusal: string | null,
  /** The author's address. */
  sender: string | null,
  /** The beginnings of the From and To fields. */
  addresses: string | null,
]

/** The most characters of tags per row, because each tag is filed and counted separately. Equal lists count once. */
const TAGS_A_ROW = 32

/**
 * The events whose rows are complete, from at most `limit` rows in order; fewer if they have very many tags. Null when
 * no event is complete, so that more rows are needed.
 */
export function wholeEvents(
  rows: readonly DigestedRow[],
  limit: number,
): { events: DigestedEvent[]; more: boolean } | null {
  const events = eventsOf(rows)
  const full = rows.length === limit
  if (full) events.pop()
  if (full && events.length === 0) return null
  const fitting = withTags(events, limit * TAGS_A_ROW)
  return { events: fitting, more: full || fitting.length < events.length }
}

/** The first events, whose tags together have at most `most` characters; at least one event. */
function withTags(events: DigestedEvent[], most: number): DigestedEvent[] {
  const seen = new Set<string>()
  let characters = 0
  for (const [index, { tags }] of events.entries()) {
    if (tags === null || seen.has(tags)) continue
    seen.add(tags)
    characters += tags.length
    if (characters > most && index > 0) return events.slice(0, index)
  }
  return events
}

/** Written for speed, on arrays: the whole log passes through here. */
function eventsOf(rows: readonly DigestedRow[]): DigestedEvent[] {
  const events: DigestedEvent[] = []
  let last: DigestedEvent | undefined
  for (const row of rows) {
    const begins = row[8] === 1
    if (last?.number !== row[0]) {
      last = {
        number: row[0],
        company: row[1],
        type: row[2],
        at: row[3],
        place: row[4],
        domainId: row[5],
        tags: row[6],
        recipientDomain: begins ? null : row[7],
        sendableAt: row[10],
        refusal: row[13],
        begun: begins ? { keyId: '', subject: '', sender: '', addresses: '', recipients: [] } : null,
      }
      events.push(last)
    }
    if (!begins || row[9] === null) continue
    const begun = last.begun!
    begun.recipients.push({ address: row[9], domain: row[7]! })
    if (row[11] !== null) begun.keyId = row[11]
    if (row[12] !== null) begun.subject = row[12]
    if (row[14] !== null) begun.sender = row[14]
    if (row[15] !== null) begun.addresses = row[15]
  }
  return events
}
