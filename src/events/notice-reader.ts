/** Adds the emails and recipients to events of the log. */
import { SizedEntries } from '../common/recent-entries.ts'
import type { LogEntry } from '../email/company-event.ts'
import {
  type EventNotice,
  type NoticeEmail,
  type NoticeFacts,
  type NoticeRecipient,
  type NoticeRequest,
  WHOLE,
} from '../email/event-notice.ts'
import type { SearchStore } from '../store/store.ts'
import { copyOf } from './copy.ts'
import { octetsBeyond, withFirstMailboxes } from './visible.ts'

/** The most emails in the cache, and approximately the most octets of them. */
const CACHED_EMAILS = 2_000
const KEPT_OCTETS = 8 * 1024 ** 2
/** Octets read at a time: senders decide how large an email is. */
const AT_A_TIME = 512 * 1024
/**
 * Octets counted for an event without its email, and for an email without the parts whose length its sender chooses.
 */
const OF_EVENT = 500
/**
 * The fewest events read at once, and the weight of history in the average size that decides how many more are read:
 * each event moves the average by 1/INERTIA of the difference.
 */
const LEAST_AT_ONCE = 8
const INERTIA = 8
/** The most recipients read at once, for an event that is reported once per recipient. */
const RECIPIENTS_AT_ONCE = 200

interface CachedEmail {
  email: NoticeEmail
  /** The recipient, if there is only one. */
  only: NoticeRecipient | null
  octets: number
}

/** Reads the emails of events, and caches them, because most emails have several events in short succession. */
export class NoticeReader {
  readonly #store: Pick<SearchStore, 'readNoticeFacts'>
  readonly #emails = new SizedEntries<CachedEmail>(CACHED_EMAILS, KEPT_OCTETS)
  /** The average octets read for an event. */
  #usual = 0

  constructor(store: Pick<SearchStore, 'readNoticeFacts'>) {
    this.#store = store
  }

  /**
   * Completes the first events, up to the one that exceeds this many octets: at least one. The query asks only for as
   * many events as are likely to fit, because databases measure all requested rows first.
   */
  async readNotices<Event extends LogEntry>(
    all: readonly Event[],
    most = AT_A_TIME,
  ): Promise<EventNotice<Event>[]> {
    const events = all.slice(0, this.#likely(most))
    // The event may have rescheduled the email, so the cached one may be outdated.
    for (const event of events) if (event.type === 'scheduled') this.#emails.delete(event.emailId)
    const emails = new Map<string, CachedEmail | null>()
    const requests = events.map(({ emailId, recipient }): NoticeRequest => {
      if (emailId === null) return NO_REQUEST
      const cachedEmail = emails.get(emailId) ?? this.#emails.get(emailId)
      const place = {
        emailId,
        recipient: recipient ?? 0,
        known: emails.has(emailId) || cachedEmail !== undefined,
      }
      emails.set(emailId, cachedEmail ?? null)
      return cachedEmail?.only == null ? place : { ...place, recipient: null }
    })
    const isRead = ({ known, recipient }: NoticeRequest) => !known || recipient !== null
    const read = (await this.#store.readNoticeFacts(requests.filter(isRead), most)).values()
    const notices: EventNotice<Event>[] = []
    let left = most
    for (const [index, event] of events.entries()) {
      const { emailId } = event
      const found = isRead(requests[index]!) ? read.next().value : NOTHING
      // The store returned only the events before this one.
      if (found === undefined) break
      if (found !== NOTHING) this.#usual += (found.octets - this.#usual) / INERTIA
      const before = emailId === null ? null : (emails.get(emailId) ?? null)
      const cachedEmail = found.email === null ? before : cachedEmailOf(found.email, found)
      if (emailId !== null && cachedEmail !== null && cachedEmail !== before) {
        emails.set(emailId, cachedEmail)
        this.#emails.put(emailId, cachedEmail, cachedEmail.octets + OF_EVENT)
      }
      const octets = OF_EVENT + found.octets + (before?.octets ?? 0)
      const recipient = found.recipient ?? cachedEmail?.only ?? null
      const email =
        event.recipient === null ? (cachedEmail?.email ?? null) : messageOf(cachedEmail?.email, recipient)
      notices.push({ event, id: eventId(event, WHOLE), part: WHOLE, email, recipient, octets })
      left -= octets
      if (left <= 0) break
    }
    return notices
  }

  /** Completes all events in the given order, a limited number of octets at a time. */
  async *readAll<Event extends LogEntry>(events: readonly Event[]): AsyncGenerator<EventNotice<Event>[]> {
    for (let from = 0; from < events.length; ) {
      const notices = await this.readNotices(events.slice(from))
      from += notices.length
      yield notices
    }
  }

  /**
   * Splits an event about an email as a whole into one for each of the recipients at these positions, up to the one
   * that exceeds this many octets. Empty if none of the recipients exists.
   */
  async readParts(
    whole: EventNotice,
    positions: readonly number[],
    most = AT_A_TIME,
  ): Promise<EventNotice[]> {
    const { event, email, recipient: first } = whole
    if (email === null) return []
    const { emailId } = event
    const shared = octetsOf(email)
    // Each copy of a batch is a message of its own.
    const copies = email.individual ? Math.max(1, Math.ceil(most / Math.max(1, shared))) : RECIPIENTS_AT_ONCE
    const some = positions.slice(0, Math.min(RECIPIENTS_AT_ONCE, copies, this.#likely(most)))
    const isKnown = (position: number) => position === first?.position
    const wanted = some.filter((position) => !isKnown(position))
    const asked = wanted.map((position): NoticeRequest => ({ emailId, recipient: position, known: true }))
    const read = (asked.length === 0 ? [] : await this.#store.readNoticeFacts(asked, most)).values()
    const parts: EventNotice[] = []
    for (const position of some) {
      const found = isKnown(position) ? { recipient: first, octets: 0 } : read.next().value
      if (found === undefined) break
      const { recipient } = found
      if (recipient === null) continue
      const { address } = recipient
      parts.push({
        event: { ...event, recipient: position, address },
        id: eventId(event, position),
        part: position,
        email: messageOf(email, recipient),
        recipient,
        octets: OF_EVENT + shared + found.octets,
      })
    }
    return parts
  }

  /** The same for all recipients from a position on, in batches. */
  async *readAllParts(whole: EventNotice, from = 0): AsyncGenerator<EventNotice[]> {
    const count = whole.email?.recipientCount ?? 0
    for (let next = from; next < count; ) {
      const positions = Array.from(
        { length: Math.min(count - next, RECIPIENTS_AT_ONCE) },
        (_, at) => next + at,
      )
      const parts = await this.readParts(whole, positions)
      const last = parts.at(-1)
      if (last === undefined) return
      next = last.part + 1
      yield parts
    }
  }

  /** The number of events that are likely to fit into this many octets. */
  #likely(most: number): number {
    return Math.max(LEAST_AT_ONCE, Math.ceil((2 * most) / Math.max(OF_EVENT, this.#usual)))
  }
}

/** The request for an event of a company, which has no email. */
const NO_REQUEST: NoticeRequest = { emailId: '', recipient: null, known: true }
const NOTHING: NoticeFacts = { email: null, recipient: null, octets: 0 }

function cachedEmailOf(read: NoticeEmail, { recipient, octets }: NoticeFacts): CachedEmail {
  const email = withFirstMailboxes(read)
  const only = email.recipientCount === 1 ? recipient : null
  return { email, only, octets: octets - octetsBeyond(read, email) }
}

/** The message that a recipient got. */
function messageOf(email: NoticeEmail | undefined, recipient: NoticeRecipient | null): NoticeEmail | null {
  if (email === undefined) return null
  return email.individual && recipient !== null ? copyOf(email, recipient) : email
}

/** Octets of the parts whose length the sender chooses, approximately. */
function octetsOf({ from, to, cc, subject, headers, tags, variables }: NoticeEmail): number {
  const texts = [from, ...to, ...cc, subject, ...headers.flat(), ...Object.entries(variables).flat()]
  const all = [...texts, ...tags.flatMap(({ name, value }) => [name, value])]
  return all.reduce((sum, text) => sum + text.length, 0)
}

/** Positions of recipients that get an id of their own under the number of an event. */
const PARTS = 16 ** 4
/** Hexadecimal digits of an event's number beside the position. */
const NUMBER_DIGITS = 11

/**
 * A UUID (version 7, RFC 9562) of the constant parts of an event: its time, its number, the recipient if it is one
 * recipient's part of an event about an email as a whole, and a part of the company's id, which distinguishes events of
 * two installations.
 */
export function eventId(
  { at, number, companyId }: Pick<LogEntry, 'at' | 'number' | 'companyId'>,
  part = WHOLE,
): string {
  const time = Math.max(0, Math.round(at)).toString(16).padStart(12, '0').slice(-12)
  const position = ((part + 1) % PARTS).toString(16).padStart(15 - NUMBER_DIGITS, '0')
  const low = `${position}${number.toString(16).padStart(NUMBER_DIGITS, '0')}`.slice(-15)
  const company = companyId.replaceAll('-', '').slice(-3).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${company}-8${low.slice(0, 3)}-${low.slice(3)}`
}
