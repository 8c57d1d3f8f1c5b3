/** What is told of events beside what the log has: their emails, and the values of their recipients. */
import { LRUCache } from 'lru-cache'
import type { LoggedEvent } from '../email/event.ts'
import type { Told, ToldEmail, ToldEvent, WantedTold } from '../email/told-event.ts'
import type { SearchStore } from '../store/store.ts'

/** Emails kept for the events that are still to come of them, and octets of these, about. */
const KEPT = 2_000
const KEPT_OCTETS = 8 * 1024 ** 2
/** Octets read at a time: senders decide how large an email is. */
const AT_A_TIME = 512 * 1024
/** Octets of an event beside its email, and of an email beside what is as long as its sender likes. */
const OF_EVENT = 500
/** Read at once at least; and the fewer the larger those before were, each counting for a part of so much. */
const LEAST_AT_ONCE = 8
const INERTIA = 8

interface Known {
  email: ToldEmail
  octets: number
}

/** Reads the emails of events, and remembers those it has read: most have several events, soon one after the other. */
export class Teller {
  readonly #store: Pick<SearchStore, 'readTold'>
  readonly #emails = new LRUCache<string, Known>({
    max: KEPT,
    maxSize: KEPT_OCTETS,
    sizeCalculation: ({ octets }) => octets + OF_EVENT,
  })
  /** Octets of what is read for an event, as those before were. */
  #usual = 0

  constructor(store: Pick<SearchStore, 'readTold'>) {
    this.#store = store
  }

  /**
   * The first of them, until they tell about so many octets, however large the last of them is: there is at least one.
   * No more is asked for than is likely to fit: databases measure all of that first.
   */
  async tell(all: readonly LoggedEvent[], most = AT_A_TIME): Promise<ToldEvent[]> {
    const likely = Math.ceil((2 * most) / Math.max(OF_EVENT, this.#usual))
    const events = all.slice(0, Math.max(LEAST_AT_ONCE, likely))
    // Its time may be another one from here on.
    for (const { type, emailId } of events) if (type === 'scheduled') this.#emails.delete(emailId)
    const emails = new Map<string, Known | null>()
    const wanted = events.map(({ emailId, recipient }): WantedTold => {
      const known = emails.get(emailId) ?? this.#emails.get(emailId)
      const place = { emailId, recipient, known: emails.has(emailId) || known !== undefined }
      emails.set(emailId, known ?? null)
      // Only those of batch sending have values of their own.
      return known?.email.individual === false ? { ...place, recipient: null } : place
    })
    const isRead = ({ known, recipient }: WantedTold) => !known || recipient !== null
    const read = (await this.#store.readTold(wanted.filter(isRead), most)).values()
    const told: ToldEvent[] = []
    let left = most
    for (const [index, event] of events.entries()) {
      const { emailId } = event
      const found = isRead(wanted[index]!) ? read.next().value : NOTHING
      // So far it was read.
      if (found === undefined) break
      if (found !== NOTHING) this.#usual += (found.octets - this.#usual) / INERTIA
      const before = emails.get(emailId) ?? null
      const known = found.email === null ? before : { email: found.email, octets: found.octets }
      if (known !== null && known !== before) {
        emails.set(emailId, known)
        this.#emails.set(emailId, known)
      }
      const octets = OF_EVENT + found.octets + (before?.octets ?? 0)
      const { recipientVariables } = found
      told.push({ event, id: eventId(event), email: known?.email ?? null, recipientVariables, octets })
      left -= octets
      if (left <= 0) break
    }
    return told
  }

  /** All of them, in the order given, so many octets at a time. */
  async *tellAll(events: readonly LoggedEvent[]): AsyncGenerator<ToldEvent[]> {
    for (let from = 0; from < events.length; ) {
      const told = await this.tell(events.slice(from))
      from += told.length
      yield told
    }
  }
}

const NOTHING: Told = { email: null, recipientVariables: null, octets: 0 }

/**
 * A UUID (version 7, RFC 9562) of what never changes of an event: its time, its number, and a part of the id of its
 * company, by which those of two installations differ.
 */
export function eventId({ at, number, companyId }: Pick<LoggedEvent, 'at' | 'number' | 'companyId'>): string {
  const time = Math.max(0, Math.round(at)).toString(16).padStart(12, '0').slice(-12)
  const low = number.toString(16).padStart(15, '0')
  const company = companyId.replaceAll('-', '').slice(-3).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${company}-8${low.slice(0, 3)}-${low.slice(3)}`
}
