/** What is asked for, as the dialects ask. */
import type { Random } from '../../harness/random.ts'
import type { EventFilter } from '../../src/email/event.ts'
import { type EventRange, findEvents } from '../../src/events/find.ts'
import { type EmailRange, findEmails } from '../../src/events/find-emails.ts'
import { Teller } from '../../src/events/tell.ts'
import type { EmailFilter, Store } from '../../src/store/store.ts'
import type { ListedCompany } from './company.ts'

export interface Question {
  name: string
  /** An index serves it; otherwise a page is bounded by what may be looked at for it. */
  served: boolean
  /** Each time about another email, time, ...; how much was found. */
  ask: () => Promise<number>
}

const HOUR = 3_600_000
const EMAILS = 100
const EVENTS = 300
const SUPPRESSIONS = 100

export async function questions(store: Store, company: ListedCompany, random: Random): Promise<Question[]> {
  const { companyId, domainId } = company
  const parts = { store, teller: new Teller(store) }
  const end = await store.lastEventNumber()
  const [newest] = (await findEmails(store, { companyId }, { limit: 1 })).emails
  const [oldest] = (await findEmails(store, { companyId }, { newerThan: ID_ZERO, limit: 1 })).emails
  const places = { from: await store.emailPlace(oldest!.id), to: await store.emailPlace(newest!.id) }

  /** Any email of the company. */
  const some = async () => {
    const [found] = await store.emailsAt({ companyId }, [random.int(places.from, places.to)])
    return found!.email
  }
  const time = () => Math.floor(random.between(oldest!.createdAt, newest!.createdAt - HOUR))
  const number = () => random.int(1, end)
  const emails = async (filter: Omit<EmailFilter, 'companyId'>, range: Partial<EmailRange> = {}) =>
    (await findEmails(store, { companyId, ...filter }, { limit: EMAILS, ...range })).emails.length
  const events = async (filter: Omit<EventFilter, 'companyId'>, range: Partial<EventRange> = {}) => {
    const page = { newestFirst: true, limit: EVENTS, ...range }
    return (await findEvents(parts, { companyId, ...filter }, page)).events.length
  }

  return [
    served('emails, newest', () => emails({})),
    served('emails, older than any', async () => emails({}, { olderThan: (await some()).id })),
    served('emails, newer than any', async () => emails({}, { newerThan: (await some()).id })),
    served('emails to an address', async () => emails({ to: (await some()).to[0]! })),
    served('emails to an address that got none', () => emails({ to: 'nobody@history.test' })),
    served('emails with a tag that none has', () => emails({ tag: { name: 'none' } })),
    served('emails of a domain, older than any', async () =>
      emails({ domainId }, { olderThan: (await some()).id }),
    ),
    served('emails of a domain that has none', () => emails({ domainId: 'none' })),
    served('emails of an hour', () => hour(time(), (range) => emails(range))),
    served('emails to an address, of an hour', async () => {
      const { to, createdAt } = await some()
      return await hour(createdAt - HOUR / 2, (range) => emails({ to: to[0]!, ...range }))
    }),
    bounded('emails by last event', () => emails({ events: ['bounced'] })),
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
    served('events of a recipient', async () => events({ recipient: (await some()).to[0]! })),
    served('events of a recipient that got nothing', () => events({ recipient: 'nobody@history.test' })),
    served('events of an email', async () => events({ emailId: (await some()).id })),
    served('events of an hour', () => hour(time(), (range) => events(range, { newestFirst: false }))),
    served('events with a tag that none has', () => events({ tag: { name: 'none' } })),
    served('suppressions, newest', async () => {
      return (await store.listSuppressions({ companyId, limit: SUPPRESSIONS })).length
    }),
    served('suppressions by address, behind any', async () => {
      const after = `s${random.int(0, 99_999)}`
      return (await store.suppressedPage({ companyId, type: 'bounce', after, limit: SUPPRESSIONS })).length
    }),
    served('suppressions of an address', async () => {
      const address = `s${random.int(0, 99_999)}@d1.history.test`
      return (await store.listSuppressions({ companyId, address, limit: SUPPRESSIONS })).length
    }),
  ]
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
