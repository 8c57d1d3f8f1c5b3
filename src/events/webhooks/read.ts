/** What is read of the log for one webhook: what it has not come to yet, and what it is told again. */
import type { EventPage, LogFilter, LoggedEvent } from '../../email/event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { EventLog, WebhookStore } from '../../store/store.ts'
import { wordOfType } from '../told/types.ts'
import { eventTypesIn } from '../told/unsent.ts'
import type { Endpoint } from './endpoint.ts'

export interface ReadPorts {
  log: EventLog
  /** What is told of the first of these events, in their order: as much as is read at a time. */
  tell(events: LoggedEvent[]): Promise<ToldEvent[]>
  retries: WebhookStore['webhookRetries']
}

/** Retries read at a time. */
const RETRIES = 50

/**
 * What is told of a page, so much at a time that it can be held: up to an event all that is wanted of it. Whether one
 * is wanted is asked when it is its turn.
 */
export async function* inPortions(
  { tell }: Pick<ReadPorts, 'tell'>,
  { events, cursor }: EventPage,
  wanted: (event: LoggedEvent) => boolean = () => true,
): AsyncGenerator<{ told: ToldEvent[]; upTo: number }> {
  let from = 0
  do {
    const some = events.slice(from).filter(wanted)
    const told = some.length === 0 ? [] : await tell(some)
    const last = told.length < some.length ? told.at(-1)!.event : events.at(-1)
    from = last === undefined ? 0 : events.indexOf(last) + 1
    yield { told, upTo: from < events.length ? last!.number : cursor }
  } while (from < events.length)
}

/** `live`: up to here the log was read for all. */
export async function catchUp(
  ports: ReadPorts,
  endpoint: Endpoint,
  live: () => number | null,
): Promise<void> {
  const { companyId, types } = endpoint.webhook
  const filter: LogFilter = types.length === 0 ? { companyId } : { companyId, types: eventTypesIn(types) }
  let from = endpoint.read
  const page = await ports.log.eventsAfter(from, filter, endpoint.room)
  for await (const { told, upTo } of inPortions(ports, page)) {
    // It may have gone down meanwhile, and stepped back.
    if (endpoint.closed || endpoint.read !== from) return
    const concerning = told.filter((each) => concerns(endpoint, each))
    if (!endpoint.hold(concerning, upTo)) return
    from = endpoint.read
  }
  const all = live()
  if (all !== null && endpoint.read >= all) endpoint.lagging = false
}

export async function readRetries(ports: ReadPorts, endpoint: Endpoint, now: number): Promise<void> {
  const { id, companyId } = endpoint.webhook
  // Whatever is committed while the store is asked, its answer may be older.
  const known = endpoint.repeated
  const due = await ports.retries(id, now, RETRIES)
  const fresh = due.filter(({ number }) => !known.has(number))
  // The next look at the store says when more are due.
  endpoint.webhook.retryAt = due.length < RETRIES || fresh.length === 0 ? null : now
  for (const [index, { number, attempts }] of fresh.entries()) {
    if (index > 0 && endpoint.roomAgain === 0) {
      endpoint.webhook.retryAt = now
      return
    }
    const page = await ports.log.eventsAfter(number - 1, { companyId }, 1)
    const event = page.events[0]
    const told = event?.number === number ? await ports.tell([event]) : []
    if (endpoint.closed) return
    for (const each of told) endpoint.holdAgain(each, attempts)
    if (told.length === 0) endpoint.forget(number)
  }
}

/** As far as the event itself says. */
export function isWanted({ webhook }: Endpoint, { companyId, type }: LoggedEvent): boolean {
  if (companyId !== webhook.companyId) return false
  if (webhook.types.length > 0 && !webhook.types.includes(type)) return false
  return wordOfType(webhook.dialect, type) !== null
}

export function concerns(endpoint: Endpoint, { event, email }: ToldEvent): boolean {
  const { domainId } = endpoint.webhook
  return isWanted(endpoint, event) && (domainId === null || email?.domainId === domainId)
}
