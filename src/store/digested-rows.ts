/** Events of the log as both databases hand them over to be digested. */
import type { DigestedEvent } from './make-digest.ts'

/** The event `v` is the first of the email `e`. */
export const BEGINS = "(v.recipient IS NULL AND v.type IN ('sent', 'scheduled') AND v.at = e.created_at)"

const ALL = 0x7fff_ffff
/** The recipients whom a row of their own tells of: of an event that an email begins with all, of others theirs. */
export const ITS_RECIPIENTS = `r.position BETWEEN coalesce(v.recipient, 0)
  AND coalesce(v.recipient, CASE WHEN ${BEGINS} THEN ${ALL} ELSE -1 END)`

/** A row of an event that an email begins with, of its first recipient, tells of the email itself, too. */
export const FIRST = '(v.recipient IS NULL AND r.position = 0)'
/** Since when an email that is delivered might be sent. */
export const SENDABLE_AT = `CASE WHEN v.type = 'delivered' AND v.recipient IS NOT NULL THEN
  CASE WHEN e.scheduled_at > e.created_at THEN e.scheduled_at ELSE e.created_at END END`

/** An event, its fields in the order of the SELECT; of one that an email begins with, a row for each recipient. */
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
  /** As it is compared; of such an event's recipients. */
  address: string | null,
  sendableAt: number | null,
  keyId: string | null,
  subject: string | null,
]

/** Characters of tags for each row, lists of them that are alike once: each tag is filed and counted by itself. */
const TAGS_A_ROW = 32

/**
 * Of at most `limit` rows, in order, the events whose recipients are all there, as long as they have not very many
 * tags; null when these are not even one, and more rows are needed.
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

/** The first of them, at least one. */
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

/** Made by hand, of arrays: what goes through here is as much as the whole log. */
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
        begun: begins ? { keyId: '', subject: '', recipients: [] } : null,
      }
      events.push(last)
    }
    if (!begins || row[9] === null) continue
    const begun = last.begun!
    begun.recipients.push({ address: row[9], domain: row[7]! })
    if (row[11] !== null) begun.keyId = row[11]
    if (row[12] !== null) begun.subject = row[12]
  }
  return events
}
