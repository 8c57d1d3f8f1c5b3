/** Reads the log for one webhook: new events, and retries. */
import type { EntryFilter, LogEntry } from '../../email/company-event.ts'
import type { EventPage } from '../../email/event.ts'
import { type EventNotice, isOfEmail, WHOLE } from '../../email/event-notice.ts'
import type { WebhookStore, WebhookSubject } from '../../store/store.ts'
import type { EntryLog } from '../entry-log.ts'
import { behind, comparePlaces, doneUpTo, type LogPosition, placeOf } from '../log-position.ts'
import type { NoticeReader } from '../notice-reader.ts'
import { isReportedPerRecipient, wordOfType } from '../notices/types.ts'
import { eventTypesIn } from '../notices/unsent.ts'
import type { WebhookEndpoint } from './endpoint.ts'
import { keyOf } from './subject.ts'

export interface ReadParts {
  log: EntryLog
  noticeReader: Pick<NoticeReader, 'readParts' | 'readAllParts'> & {
    readNotices(events: readonly LogEntry[]): Promise<EventNotice<LogEntry>[]>
  }
  retries: WebhookStore['webhookRetries']
}

/** Retries read at a time. */
const RETRIES = 50

/** Events to send. `notices` has all wanted events up to the place `upTo`. */
interface Portion {
  notices: EventNotice<LogEntry>[]
  upTo: LogPosition
}

/**
 * Yields the events of a page in portions that fit into memory. `wanted` is called just before an event is
 * read. `each`: whether the event is also reported once per recipient. `from`: the first portion begins behind it.
 */
export async function* inPortions(
  { noticeReader }: Pick<ReadParts, 'noticeReader'>,
  { events, cursor }: EventPage<LogEntry>,
  from: LogPosition,
  each: (notice: EventNotice<LogEntry>) => boolean,
  wanted: (event: LogEntry) => boolean = () => true,
): AsyncGenerator<Portion> {
  let next = 0
  do {
    const some = events.slice(next).filter(wanted)
    const notices = some.length === 0 ? [] : await noticeReader.readNotices(some)
    const last = notices.length < some.length ? notices.at(-1)!.event : events.at(-1)
    next = last === undefined ? 0 : events.indexOf(last) + 1
    let portion: EventNotice<LogEntry>[] = []
    for (const one of notices) {
      portion.push(one)
      if (!isOfEmail(one) || !each(one)) continue
      const { number } = one.event
      const first = number === from.number ? from.recipient + 1 : 0
      for await (const parts of noticeReader.readAllParts(one, first)) {
        yield { notices: [...portion, ...parts], upTo: placeOf(parts.at(-1)!) }
        portion = []
      }
    }
    yield { notices: portion, upTo: behind(next < events.length ? last!.number : cursor) }
  } while (next < events.length)
}

/** Reads the log separately for a webhook that is behind. `live`: the number up to which the common reader has read. */
export async function catchUp(
  parts: ReadParts,
  endpoint: WebhookEndpoint,
  live: () => number | null,
): Promise<void> {
  const { companyId, types } = endpoint.webhook
  const filter: EntryFilter = types.length === 0 ? { companyId } : { companyId, types: eventTypesIn(types) }
  let from = endpoint.read
  const page = await parts.log.eventsAfter(doneUpTo(from), filter, endpoint.room)
  for await (const { notices, upTo } of inPortions(parts, page, from, (one) =>
    isPerRecipient(endpoint, one),
  )) {
    // The webhook may have been closed meanwhile, or its place set back after a failure.
    if (endpoint.closed || endpoint.read !== from) return
    if (!endpoint.enqueue(newNotices(endpoint, notices), upTo)) return
    from = endpoint.read
  }
  const all = live()
  if (all !== null && doneUpTo(endpoint.read) >= all) endpoint.lagging = false
}

export async function readRetries(parts: ReadParts, endpoint: WebhookEndpoint, now: number): Promise<void> {
  const { id } = endpoint.webhook
  // Read before asking the store, whose result may be older than a commit made meanwhile.
  const known = endpoint.queue.repeated
  const due = await parts.retries(id, now, RETRIES)
  const fresh = due.filter((subject) => !known.has(keyOf(subject)))
  // Null: no retries are read until the store reports when the next one is due.
  endpoint.webhook.retryAt = due.length < RETRIES || fresh.length === 0 ? null : now
  for (const [index, retry] of fresh.entries()) {
    if (index > 0 && endpoint.roomAgain === 0) {
      endpoint.webhook.retryAt = now
      return
    }
    const notice = await readReplays(parts, endpoint, retry)
    if (endpoint.closed) return
    if (notice === undefined) endpoint.forget(retry)
    else endpoint.queue.addAgain(notice, retry)
  }
}

/** Undefined if retention has removed the event. */
async function readReplays(
  { log, noticeReader }: ReadParts,
  endpoint: WebhookEndpoint,
  { number, part }: WebhookSubject,
): Promise<EventNotice<LogEntry> | undefined> {
  const { companyId } = endpoint.webhook
  const [event] = (await log.eventsAfter(number - 1, { companyId }, 1)).events
  if (event?.number !== number) return undefined
  const [whole] = await noticeReader.readNotices([event])
  if (whole === undefined || part === undefined) return whole
  if (!isOfEmail(whole)) return undefined
  return (await noticeReader.readParts(whole, [part]))[0]
}

/** The events that concern the webhook and are not yet in its queue. */
export function newNotices(
  endpoint: WebhookEndpoint,
  notices: readonly EventNotice<LogEntry>[],
): EventNotice<LogEntry>[] {
  return notices.filter((one) => comparePlaces(placeOf(one), endpoint.read) > 0 && concerns(endpoint, one))
}

export function isPerRecipient({ webhook }: WebhookEndpoint, notice: EventNotice<LogEntry>): boolean {
  return isReportedPerRecipient(webhook.dialect, notice)
}

/** Checks only the fields of the event itself. */
export function matchesWebhook({ webhook }: WebhookEndpoint, { companyId, type }: LogEntry): boolean {
  if (companyId !== webhook.companyId) return false
  if (webhook.types.length > 0 && !webhook.types.includes(type)) return false
  return wordOfType(webhook.dialect, type) !== null
}

export function concerns(endpoint: WebhookEndpoint, notice: EventNotice<LogEntry>): boolean {
  const { domainId } = endpoint.webhook
  const { event, email, part } = notice
  if (!matchesWebhook(endpoint, event) || isPerRecipient(endpoint, notice)) return false
  if (!isOfEmail(notice)) return domainId === null || event.detail.domainId === domainId
  if (part !== WHOLE && !isPerRecipient(endpoint, wholeOf(notice))) return false
  return domainId === null || email?.domainId === domainId
}

/** The event that a part belongs to. */
function wholeOf(notice: EventNotice): EventNotice {
  return { ...notice, event: { ...notice.event, recipient: null, address: null }, part: WHOLE }
}
