/** What is told of events beside what the log has: their emails, and the values of their recipients. */
import { LRUCache } from 'lru-cache'
import type { LoggedEvent } from '../email/event.ts'
import type { ToldEmail, ToldEvent } from '../email/told-event.ts'
import type { SearchStore } from '../store/store.ts'
import { octetsOf } from './portions.ts'

/** Emails kept for the events that are still to come of them, and octets of these, about. */
const KEPT = 2_000
const KEPT_OCTETS = 8 * 1024 ** 2

/** Reads the emails of events, and remembers those it has read: most have several events, soon one after the other. */
export class Teller {
  readonly #store: Pick<SearchStore, 'readTold'>
  readonly #emails = new LRUCache<string, ToldEmail>({
    max: KEPT,
    maxSize: KEPT_OCTETS,
    sizeCalculation: octetsOf,
  })

  constructor(store: Pick<SearchStore, 'readTold'>) {
    this.#store = store
  }

  /** In the order given. */
  async tell(events: readonly LoggedEvent[]): Promise<ToldEvent[]> {
    const ids = [...new Set(events.map(({ emailId }) => emailId))]
    const emails = new Map<string, ToldEmail>()
    // Its time may be another one from here on.
    for (const { type, emailId } of events) if (type === 'scheduled') this.#emails.delete(emailId)
    for (const id of ids) {
      const known = this.#emails.get(id)
      if (known !== undefined) emails.set(id, known)
    }
    const unknown = ids.filter((id) => !emails.has(id))
    if (unknown.length > 0) {
      for (const email of (await this.#store.readTold(unknown, [])).emails) {
        emails.set(email.id, email)
        this.#emails.set(email.id, email)
      }
    }
    const variables = await this.#variablesOf(events, emails)
    return events.map((event) => ({
      event,
      id: eventId(event),
      email: emails.get(event.emailId) ?? null,
      recipientVariables: variables.get(`${event.emailId} ${event.recipient}`) ?? null,
    }))
  }

  async #variablesOf(
    events: readonly LoggedEvent[],
    emails: ReadonlyMap<string, ToldEmail>,
  ): Promise<ReadonlyMap<string, Record<string, string>>> {
    const places = events.flatMap(({ emailId, recipient }) =>
      recipient !== null && emails.get(emailId)?.individual === true ? [{ emailId, recipient }] : [],
    )
    if (places.length === 0) return new Map()
    const { variables } = await this.#store.readTold([], places)
    return new Map(variables.map((of) => [`${of.emailId} ${of.recipient}`, of.variables]))
  }
}

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
