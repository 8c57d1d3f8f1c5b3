/**
 * Follows the events of a running installation in the form in which webhooks send them, for developing an application.
 */
import type { Company } from '../accounts/account.ts'
import type { EntryFilter, EntryType, LogEntry } from '../email/company-event.ts'
import { type EventNotice, isOfEmail } from '../email/event-notice.ts'
import { entryLog } from '../events/entry-log.ts'
import { type FollowOptions, follow } from '../events/follow.ts'
import { NoticeReader } from '../events/notice-reader.ts'
import { isReportedPerRecipient, wordOfType } from '../events/notices/types.ts'
import { Forwarding, type ForwardingListener, type ForwardingSummary } from '../events/webhooks/forwarding.ts'
import { messageId } from '../events/webhooks/message-id.ts'
import { derivedWebhookSecret, hasOwnSecret } from '../events/webhooks/secrets.ts'
import { payload } from '../events/webhooks/sign.ts'
import type { WebhookAttempt, WebhookDialect } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyFilter, findWholeCompany } from './find.ts'
import { type Operation, verb } from './verb.ts'
import { signingKeyOf } from './webhook-secrets.ts'
import { checkedWebhookUrl } from './webhook-url.ts'
import { eventTypes } from './webhooks.ts'

export interface ListenRequest extends CompanyFilter {
  dialect: WebhookDialect
  /** Types of events, in the dialect's names; absent or empty: all. */
  events?: readonly string[] | undefined
  /** Unix ms: also events since then; absent: only events from now on. */
  since?: number | undefined
}

/** An event, and its form in the dialect. */
export interface DialectEvent {
  event: LogEntry
  /** The dialect's name for the event's type. */
  word: string
  body: object
}

/** Yields events as they happen, until the signal aborts. */
export const listen = verb(
  'read',
  async (
    op,
    input: ListenRequest & Omit<FollowOptions, 'filter' | 'after'>,
  ): Promise<AsyncGenerator<DialectEvent[]>> => {
    const { company, dialect, events = [], since, ...following } = input
    const types = eventTypes(dialect, events)
    const filter: EntryFilter = { ...companyFilter(op, { company }), ...(types.length > 0 && { types }) }
    return dialectEvents(
      op,
      dialect,
      follow(entryLog(op.store), { filter, after: await start(op, since), ...following }),
    )
  },
)

async function* dialectEvents(
  { store, apiUrl }: Operation,
  dialect: WebhookDialect,
  events: AsyncGenerator<LogEntry[]>,
): AsyncGenerator<DialectEvent[]> {
  const noticeReader = new NoticeReader(store)
  for await (const bunch of events) {
    for await (const some of noticeReader.readAll(bunch)) {
      for (const notice of some) {
        const isForEach = isOfEmail(notice) && isReportedPerRecipient(dialect, notice)
        const each = isForEach ? noticeReader.readAllParts(notice) : [[notice]]
        for await (const parts of each) yield parts.flatMap((part) => inWords(dialect, part, apiUrl()) ?? [])
      }
    }
  }
}

function inWords(dialect: WebhookDialect, notice: EventNotice<LogEntry>, base: string): DialectEvent | null {
  const { event } = notice
  const word = wordOfType(dialect, event.type)
  const body = payload(dialect, notice, base)
  return word === null || body === null ? null : { event, word, body }
}

async function start({ store }: Operation, since: number | undefined): Promise<number> {
  return since === undefined ? await store.lastEventNumber() : await store.lastEventBefore(since)
}

export interface ForwardRequest extends ListenRequest, Omit<ForwardingListener, 'onTried'> {
  url: string
  userAgent: string
  onTried(attempt: ForwardTry): void
}

export interface ForwardTry {
  event: LogEntry
  attempt: WebhookAttempt
  /** The dialect's name for the event's type, and the id of its webhook message. */
  word: string
  messageId: string
}

export interface EventForwarding {
  company: Company
  url: string
  /** The secret that signs the forwarded events. */
  secret: string
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<ForwardingSummary>
}

/**
 * Forwards the events of a company in the form its webhooks receive. The URL may point to any address: it is named by
 * the operator who runs the command, for an application on the same machine. For that reason no member of a company may
 * call this.
 */
export const forwardEvents = verb(
  'operate',
  async (op, input: ForwardRequest): Promise<EventForwarding> => {
    const { dialect, events = [], since, userAgent, onTried, ...ears } = input
    const company = theCompany(op, input.company)
    const url = checkedWebhookUrl(input.url)
    const types: EntryType[] = eventTypes(dialect, events)
    const secret = hasOwnSecret(dialect)
      ? derivedWebhookSecret(await op.seal(), `listen ${company.id}`)
      : await signingKeyOf(op, company.id)
    const after = await start(op, since)
    const hears: ForwardingListener = {
      ...ears,
      onTried(attempt, event) {
        const word = wordOfType(dialect, event.type) ?? event.type
        onTried({ event, attempt, word, messageId: messageId(attempt.webhookId, attempt) })
      },
    }
    return {
      company,
      url,
      secret,
      async run(signal) {
        const outgoing = op.outgoing({ anywhere: true, connections: CONNECTIONS })
        const settings = { companyId: company.id, dialect, url, types, secret, after, userAgent }
        const forwarded = { ...settings, base: op.apiUrl() }
        try {
          return await new Forwarding(op.store, outgoing.ask, forwarded, hears).run(signal)
        } finally {
          await outgoing.close()
        }
      },
    }
  },
  null,
)

/** The same number as a webhook may have under way. */
const CONNECTIONS = 16

/** Webhooks belong to one company; if there is only one, the caller need not name it. */
function theCompany(op: Operation, named: string | undefined): Company {
  const { companies } = op.accounts
  if (named !== undefined) return findWholeCompany(op, named)
  const [only] = companies
  if (companies.length === 1 && only !== undefined) return findWholeCompany(op, only.id)
  const message =
    companies.length === 0
      ? 'there is no company yet, so there are no events to forward'
      : 'there are several companies; name the one whose events to forward'
  throw new OperateError('invalid', message, { verb: 'listCompanies' })
}
