/** The log of events, of emails and of companies. */
import type { EntryFilter, LogEntry } from '../email/company-event.ts'
import { type NoticeFacts, plainAddress } from '../email/event-notice.ts'
import { type FollowOptions, follow } from '../events/follow.ts'
import { eventsBehind, lastEvents } from '../events/page.ts'
import type { EventLog } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyFilter } from './find.ts'
import { type Operation, verb } from './verb.ts'

export interface EventsRequest extends CompanyFilter {
  types?: EntryFilter['types'] | undefined
  /** The number of the last event that the caller has; absent: start with the latest events. */
  after?: number | undefined
  /** The most existing events to return. */
  limit: number
}

export const listEvents = verb(
  'read',
  async (op, { after, limit, ...wanted }: EventsRequest): Promise<LogEntry[]> => {
    const filter = filterOf(op, wanted)
    if (after !== undefined) {
      await refuseUnseen(op, after)
      return await eventsBehind(wholeLog(op), after, filter, limit)
    }
    return (await lastEvents(wholeLog(op), filter, limit)).events
  },
)

export interface FollowedEvents extends EventsRequest, Omit<FollowOptions, 'filter' | 'after'> {}

/**
 * Yields first what `listEvents` would return (with `after`, all events behind it), then new events as they come,
 * without end.
 */
export const followEvents = verb(
  'read',
  async (op, input: FollowedEvents): Promise<AsyncGenerator<LogEntry[]>> => {
    const { after, limit, company, types, ...following } = input
    const filter = filterOf(op, { company, types })
    if (after !== undefined) {
      await refuseUnseen(op, after)
      return follow(wholeLog(op), { after, filter, ...following })
    }
    const { events, end } = await lastEvents(wholeLog(op), filter, limit)
    return beginningWith(events, follow(wholeLog(op), { after: end, filter, ...following }))
  },
)

/** A number beyond the end of the log comes from another database: following from there would silently miss events. */
async function refuseUnseen(op: Operation, after: number): Promise<void> {
  const end = await op.store.lastEventNumber()
  if (after <= end) return
  throw new OperateError(
    'invalid',
    `there is no event ${after} yet: the latest event is ${end}. The number is from another database, or from this one ` +
      'before it was restored from a backup; list the latest events and give the number to continue from',
  )
}

async function* beginningWith(
  events: LogEntry[],
  rest: AsyncGenerator<LogEntry[]>,
): AsyncGenerator<LogEntry[]> {
  if (events.length > 0) yield events
  yield* rest
}

/** Octets of recipients read at a time, approximately. */
const AT_A_TIME = 512 * 1024

/** Replaces the recipients' addresses with the spelling that their senders used. */
async function spelled({ store }: Operation, entries: LogEntry[]): Promise<LogEntry[]> {
  const wanted = entries.flatMap(({ emailId, recipient }) =>
    emailId === null || recipient === null ? [] : [{ emailId, recipient, known: true }],
  )
  const facts: NoticeFacts[] = []
  while (facts.length < wanted.length) {
    facts.push(...(await store.readNoticeFacts(wanted.slice(facts.length), AT_A_TIME)))
  }
  const next = facts.values()
  return entries.map((entry) => {
    if (entry.emailId === null || entry.recipient === null) return entry
    const mailbox = next.next().value?.recipient?.mailbox ?? null
    return mailbox === null ? entry : { ...entry, address: plainAddress(mailbox) }
  })
}

function filterOf(op: Operation, { types, ...of }: Pick<EventsRequest, 'company' | 'types'>): EntryFilter {
  return { ...companyFilter(op, of), ...(types !== undefined && { types }) }
}

function wholeLog(op: Operation): EventLog<LogEntry, EntryFilter> {
  const { entriesAfter, lastEventNumber } = op.store
  return {
    async eventsAfter(after, filter, limit) {
      const { events, cursor } = await entriesAfter(after, filter, limit)
      return { events: await spelled(op, events), cursor }
    },
    lastEventNumber,
  }
}
