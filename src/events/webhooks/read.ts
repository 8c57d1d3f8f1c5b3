/** What is read of the log for one webhook: what it has not come to yet, and what it is told again. */
import type { LogFilter, LoggedEvent } from '../../email/event.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { EventLog, WebhookRetry, WebhookStore } from '../../store/store.ts'
import { wordOfType } from '../told/types.ts'
import type { Endpoint } from './endpoint.ts'

export interface ReadPorts {
  log: EventLog
  /** What is told of events, in their order. */
  tell(events: LoggedEvent[]): Promise<ToldEvent[]>
  retries: WebhookStore['webhookRetries']
}

/** Retries read at a time. */
const RETRIES = 50

/** `live`: up to here the log was read for all. */
export async function catchUp(
  { log, tell }: ReadPorts,
  endpoint: Endpoint,
  live: () => number | null,
): Promise<void> {
  const { companyId, types } = endpoint.webhook
  const from = endpoint.read
  const filter: LogFilter = types.length === 0 ? { companyId } : { companyId, types }
  const page = await log.eventsAfter(from, filter, endpoint.room)
  const told = page.events.length === 0 ? [] : await tell(page.events)
  // It may have gone down meanwhile, and stepped back.
  if (endpoint.closed || endpoint.read !== from) return
  endpoint.hold(told.filter((each) => concerns(endpoint, each)))
  endpoint.read = Math.max(endpoint.read, page.cursor)
  const all = live()
  if (all !== null && endpoint.read >= all) endpoint.lagging = false
}

export async function readRetries(
  { retries, log, tell }: ReadPorts,
  endpoint: Endpoint,
  now: number,
): Promise<void> {
  const { id, companyId } = endpoint.webhook
  // Whatever is committed while the store is asked, its answer may be older.
  const known = endpoint.repeated
  const due = await retries(id, now, RETRIES)
  // The next look at the store says when more are due.
  endpoint.webhook.retryAt = due.length < RETRIES ? null : now
  const found: [LoggedEvent, WebhookRetry][] = []
  for (const retry of due) {
    if (known.has(retry.number)) continue
    const page = await log.eventsAfter(retry.number - 1, { companyId }, 1)
    const event = page.events[0]
    if (event?.number === retry.number) found.push([event, retry])
    else endpoint.forget(retry.number)
  }
  if (found.length === 0) {
    endpoint.webhook.retryAt = null
    return
  }
  const told = await tell(found.map(([event]) => event))
  if (endpoint.closed) return
  for (const [index, each] of told.entries()) endpoint.holdAgain(each, found[index]![1].attempts)
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
