/** The queries to measure, as the dialects make them. */
import type { Random } from '../../harness/random.ts'
import type { EventFilter, EventType } from '../../src/email/event.ts'
import { type EventRange, findEvents } from '../../src/events/find.ts'
import { type EmailRange, findEmails } from '../../src/events/find-emails.ts'
import { NoticeReader } from '../../src/events/notice-reader.ts'
import { formEvent } from '../../src/events/notices/form.ts'
import type { EmailFilter, Store } from '../../src/store/store.ts'
import type { SuppressedPage } from '../../src/store/suppression-store.ts'
import { TAGS, WATCHER } from '../history/shape.ts'
import type { ListedCompany } from './company.ts'

export interface Question {
  name: string
  /** Whether an index serves the question; otherwise the number of rows examined for a page is bounded. */
  served: boolean
  /** Asks about another email or time on each call. Returns the number of results. */
  ask: () => Promise<number>
}

/** The newest email is a newsletter to a thousand recipients. All emails before it have one recipient each. */
export const OF_BATCH = 'events of 300 recipients of a batch, written'
export const OF_SINGLE = 'events of 300 emails to one each, written'

const HOUR = 3_600_000
const EMAILS = 100
const EVENTS = 300
const SUPPRESSIONS = 100

/** `chance` decides which emails, times and so on are asked about. */
export async function questions(
  store: Store,
  company: ListedCompany,
  chance: { random: Random },
): Promise<Question[]> {
  const { companyId, domainId } = company
  const parts = { store, noticeReader: new NoticeReader(store) }
  const end = await store.lastEventNumber()
  const [newest] = (await findEmails(store, { companyId }, { limit: 1 })).emails
  const [oldest] = (await findEmails(store, { companyId }, { newerThan: ID_ZERO, limit: 1 })).emails
  const places = { from: await store.emailPlace(oldest!.id), to: await store.emailPlace(newest!.id) }

  /** Any email of the company. */
  const some = async () => {
    const { emails } = await store.emailsAt({ companyId }, [chance.random.int(places.from, places.to)], ONE)
    return emails[0]!.email
  }
  /** A recipient of few emails, like most. The recipient of many emails has separate questions. */
  const someone = async () => {
    for (;;) {
      const [to] = (await some()).to
      if (to !== WATCHED) return to!
    }
  }
  const time = () => Math.floor(chance.random.between(oldest!.createdAt, newest!.createdAt - HOUR))
  const number = () => chance.random.int(1, end)
  const emails = async (filter: Omit<EmailFilter, 'companyId'>, range: Partial<EmailRange> = {}) =>
    (await findEmails(store, { companyId, ...filter }, { limit: EMAILS, ...range })).emails.length
  const emailsOfAll = async (filter: Omit<EmailFilter, 'companyId'>) =>
    (await findEmails(store, { companyId: null, ...filter }, { limit: EMAILS })).emails.length
  const events = async (filter: Omit<EventFilter, 'companyId'>, range: Partial<EventRange> = {}) => {
    const page = { newestFirst: true, limit: EVENTS, ...range }
    return (await findEvents(parts, { companyId, ...filter }, page)).events.length
  }

  /** As the form dialect answers it, by a node that was never asked before; up to the newest event, or one before. */
  const written = async (upTo: number) => {
    const fresh = { store, noticeReader: new NoticeReader(store) }
    const page = { newestFirst: true, limit: EVENTS, upTo }
    const found = await findEvents(fresh, { companyId, domainId, types: ['delivered'] }, page)
    JSON.stringify(found.events.map((notice) => formEvent(notice, 'https://mail.test')))
    return found.events.length
  }
  const newsletter = await store.eventsOf([newest!.id], null)

  const address = () => `s${chance.random.int(0, 99_999)}`
  const suppressed = async (page: Omit<SuppressedPage, 'companyId' | 'type' | 'limit'>) =>
    (await store.suppressedPage({ companyId, type: 'bounce', limit: SUPPRESSIONS, ...page })).length

  return [
    served('emails, newest', () => emails({})),
    served('emails, older than any', async () => emails({}, { olderThan: (await some()).id })),
    served('emails, newer than any', async () => emails({}, { newerThan: (await some()).id })),
    served('emails to an address', async () => emails({ to: (await some()).to[0]! })),
    served('emails to an address that got none', () => emails({ to: 'nobody@history.test' })),
    served('emails with a tag that none has', () => emails({ tag: { name: 'none' } })),
    served('emails to an address that gets many, older than any', async () =>
      emails({ to: WATCHED }, { olderThan: (await some()).id }),
    ),
    served('emails with a tag, of a thousand', async () => emails({ tag: campaign((await some()).tags) })),
    served('emails with a tag that all have, newer than any', async () =>
      emails({ tag: { name: 'tag', value: TAGS.all } }, { newerThan: (await some()).id }),
    ),
    served('emails of a domain, older than any', async () =>
      emails({ domainId }, { olderThan: (await some()).id }),
    ),
    served('emails of a domain that has none', () => emails({ domainId: 'none' })),
    served('emails of an hour', () => hour(time(), (range) => emails(range))),
    served('emails to an address, of an hour', async () => {
      const { to, createdAt } = await some()
      return await hour(createdAt - HOUR / 2, (range) => emails({ to: to[0]!, ...range }))
    }),
    served('emails by last event', () => emails({ events: ['bounced'] })),
    served('emails by a last event that none has', () => emails({ events: ['complained'] })),
    bounded('emails by a last event that most have, of an address', async () =>
      emails({ events: ['delivered'], to: WATCHED }, { olderThan: (await some()).id }),
    ),
    served('emails by words of a subject', async () => emails({ words: [(await some()).subject] })),
    served('emails by words that all subjects have', async () =>
      emails({ words: [firstWord((await some()).subject)] }, { olderThan: (await some()).id }),
    ),
    served('emails by words that none has', () => emails({ words: ['nothing like it'] })),
    served('emails of all companies by words of a subject', async () =>
      emailsOfAll({ words: [(await some()).subject] }),
    ),
    served('emails of all companies to an address', async () => emailsOfAll({ to: (await some()).to[0]! })),
    served('emails of all companies to an address that got none', () =>
      emailsOfAll({ to: 'nobody@history.test' }),
    ),
    served('emails of a key that has none', () => emails({ keyId: 'none' })),
    served('counts of a year', async () => {
      const year = { since: Date.now() - 366 * 24 * HOUR, until: Date.now(), most: 1_000_000 }
      const all = { companyId, domainId: null, value: null, size: 'day', ...year } as const
      return (await store.sumEvents({ ...all, by: 'value', dimension: 'destination' }))!.length
    }),
    bounded('emails by a part of the subject that none has', () => emails({ subject: 'nothing like it' })),
    bounded('emails by a part of From, older than any', async () =>
      emails({ from: 'orders@' }, { olderThan: (await some()).id }),
    ),
    served('events, newest', () => events({})),
    served('events, up to any', () => events({}, { upTo: number() })),
    served('events, behind any', () => events({}, { after: number(), newestFirst: false })),
    served('events behind the last', () => events({}, { after: end, newestFirst: false })),
    served('events of a domain, up to any', () => events({ domainId }, { upTo: number() })),
    served('events of a type, up to any', () => events({ types: ['bounced'] }, { upTo: number() })),
    served('events of types and a domain, behind any', () =>
      events({ types: ['delivered', 'bounced'], domainId }, { after: number(), newestFirst: false }),
    ),
    served('events of a type that none has', () => events({ types: ['complained'] })),
    served('events of all types of the form dialect, behind any', () =>
      events({ types: SHOWN, domainId }, { after: number(), newestFirst: false }),
    ),
    served('events of a poller that has them all', () =>
      events({ types: POLLED, domainId, tags: [BULK] }, { after: end, newestFirst: false }),
    ),
    served('events of a poller, since any time', () =>
      events({ types: POLLED, domainId, tags: [BULK], since: time() }, { newestFirst: false }),
    ),
    served('events of a poller, behind any', () =>
      events({ types: POLLED, domainId, tags: [BULK] }, { after: number(), newestFirst: false }),
    ),
    served('events of a type, with a tag that all have', () =>
      events({ types: ['bounced'], tags: [BULK] }, { upTo: number() }),
    ),
    served('events with a tag, of a thousand emails', async () =>
      events({ tags: [campaign((await some()).tags)], domainId, types: SHOWN }),
    ),
    served('events of a type that none has, with a tag that all have', () =>
      events({ types: ['complained'], tags: [BULK] }),
    ),
    served('events of types that few have', () =>
      events({
        types: ['opened', 'clicked', 'complained', 'unsubscribed', 'failed', 'suppressed'],
        domainId,
      }),
    ),
    bounded('events of a recipient of many, up to any', () =>
      events({ recipient: WATCHED }, { upTo: number() }),
    ),
    served('events of a recipient', async () => events({ recipient: await someone() })),
    served('events of a recipient that got nothing', () => events({ recipient: 'nobody@history.test' })),
    served('events of an email', async () => events({ emailId: (await some()).id })),
    served('events of an hour', () => hour(time(), (range) => events(range, { newestFirst: false }))),
    served(OF_BATCH, () => written(end)),
    served(OF_SINGLE, () => written(newsletter[0]!.number - 1)),
    served('events with a tag that none has', () => events({ tags: [{ name: 'none' }] })),
    served('suppressions, newest', async () => {
      return (await store.listSuppressions({ companyId, limit: SUPPRESSIONS })).length
    }),
    served('suppressions, older than any', async () => {
      const [found] = await store.suppressedPage({ companyId, type: 'bounce', after: address(), limit: 1 })
      return (await store.listSuppressions({ companyId, after: found!.id, limit: SUPPRESSIONS })).length
    }),
    served('suppressions of a type that none has', async () => {
      return (await store.listSuppressions({ companyId, types: ['complaint'], limit: SUPPRESSIONS })).length
    }),
    served('suppressions of a domain that has none', async () => {
      return (await store.listSuppressions({ companyId, domainId: 'none', limit: SUPPRESSIONS })).length
    }),
    served('suppressions by address, behind any', () => suppressed({ after: address() })),
    served('suppressions by address, before any', () => suppressed({ before: address() })),
    served('suppressions by address, with a beginning', () =>
      suppressed({ term: `s${chance.random.int(10, 99)}`, after: address() }),
    ),
    served('suppressions by address, of a domain that has none', () => suppressed({ domainId: 'none' })),
    served('suppressions of an address', async () => {
      const one = { companyId, address: `${address()}@d1.history.test`, limit: SUPPRESSIONS }
      return (await store.listSuppressions(one)).length
    }),
  ]
}

const ONE = { newestFirst: true, limit: 1, octets: Number.MAX_SAFE_INTEGER }
const WATCHED = `${WATCHER.local}@${WATCHER.domain}`
const BULK = { name: 'tag', value: TAGS.all }
/** Types that the form dialect has a word for, and those that a poller of statistics asks for. */
const SHOWN: EventType[] = [
  'sent',
  'scheduled',
  'delivered',
  'delivery_delayed',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
  'complained',
  'unsubscribed',
]
const POLLED = SHOWN.filter((type) => !['sent', 'scheduled', 'clicked'].includes(type))

function campaign(tags: readonly { name: string; value: string }[]) {
  return tags.find(({ name }) => name === TAGS.campaign) ?? { name: 'none', value: '' }
}

const ID_ZERO = '00000000-0000-7000-8000-000000000000'

function served(name: string, ask: Question['ask']): Question {
  return { name, served: true, ask }
}

function bounded(name: string, ask: Question['ask']): Question {
  return { name, served: false, ask }
}

function hour<T>(since: number, ask: (range: { since: number; until: number }) => T): T {
  return ask({ since, until: since + HOUR })
}

function firstWord(subject: string): string {
  return subject.split(' ')[0]!
}
