/** Emails and events enough to search in, and the expected results: by a look at each. */
import assert from 'node:assert/strict'
import type { EventFilter, EventType } from '../../../src/email/event.ts'
import { findEvents } from '../../../src/events/find.ts'
import { findEmails } from '../../../src/events/find-emails.ts'
import { filedPart, phraseStart, wordsIn } from '../../../src/store/searched-words.ts'
import type { EmailFilter, NewEmail, Store } from '../../../src/store/store.ts'
import { acme, attempt, deferred, email, HOUR, NOW, result } from '../samples.ts'

export const ADDRESSES = Array.from({ length: 10 }, (_, n) => `User${n}@${n % 2 === 0 ? 'x' : 'y'}.test`)

function resultsOf({ recipients, createdAt: at }: NewEmail, n: number) {
  return recipients.map((_, position) =>
    position === recipients.length - 1 && n % 11 === 0
      ? deferred(position, at + HOUR, { events: [{ type: 'delivery_delayed', at: at + 1_000, detail: {} }] })
      : result(position, { events: [{ type: 'delivered', at: at + 1_000, detail: {} }] }),
  )
}

/** Emails of two companies, with more events than one segment has. */
export async function history(store: Store, token: number) {
  const owners = [await acme(store), await acme(store, 'Other')]
  const all = Array.from({ length: 600 }, (_, n) => {
    // Ids contain the time of acceptance.
    const at = NOW + n * 60_000
    const time = at
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')
    const value = email(owners[n % 7 === 0 ? 1 : 0]!, n % 3 === 0 ? ADDRESSES : ADDRESSES.slice(n % 10), {
      keyId: n % 6 === 0 ? 'other' : 'key',
      id: `${time}-7000-8000-${String(n).padStart(12, '0')}`,
      createdAt: at,
      domainId: n % 5 === 0 ? 'second' : 'first',
      tags: [
        ...(n % 4 === 0 ? [{ name: 'tag', value: `t${n % 8}` }] : []),
        ...(n % 10 === 0 ? [{ name: 'Kind', value: 'Letter' }] : []),
      ],
    })
    const subject = n % 9 === 0 ? `Größe ${n}: WELCOME aboard` : `${value.content.subject} aboard, welcome`
    return { ...value, content: { ...value.content, subject } }
  })
  for (let from = 0; from < all.length; from += 50) {
    const some = all.slice(from, from + 50)
    await Promise.all(some.map((value) => store.accept(value, { token })))
    await Promise.all(
      some.map((value, index) => store.record(attempt(value, token, resultsOf(value, from + index)))),
    )
  }
  // Some are committed in another order than they were handed in.
  const placed = await Promise.all(
    all.map(async (value) => ({ value, place: await store.emailPlace(value.id) })),
  )
  const values = placed.toSorted((a, b) => a.place - b.place).map(({ value }) => value)
  return { owner: owners[0]!, other: owners[1]!, values }
}

export async function everything(store: Store) {
  const events = []
  for (let cursor = 0; ; ) {
    const page = await store.eventsAfter(cursor, {}, 1_000)
    events.push(...page.events)
    if (page.cursor === cursor) return { events }
    cursor = page.cursor
  }
}

export async function allEvents(
  parts: Parameters<typeof findEvents>[0],
  filter: EventFilter,
  newestFirst: boolean,
  limit = 300,
) {
  const found: number[] = []
  let range: { after?: number; upTo?: number } = {}
  for (let pages = 0; pages < 500; pages++) {
    const page = await findEvents(parts, filter, { ...range, newestFirst, limit })
    assert.ok(page.events.length <= limit)
    found.push(...page.events.map(({ event }) => event.number))
    if (page.complete) return found
    range = newestFirst ? { upTo: page.after } : { after: page.upTo }
  }
  throw new Error('the pages do not end')
}

export async function allEmails(
  store: Store,
  filter: EmailFilter,
  newestFirst: boolean,
  limit = 40,
): Promise<string[]> {
  const found: string[] = []
  let next: string | null = newestFirst ? null : '00000000-0000-7000-8000-000000000000'
  for (let pages = 0; pages < 500; pages++) {
    const place = next === null ? {} : newestFirst ? { olderThan: next } : { newerThan: next }
    const page = await findEmails(store, filter, { ...place, limit })
    assert.ok(page.emails.length <= limit)
    const ids = page.emails.map(({ id }) => id)
    found.push(...(newestFirst ? ids : ids.toReversed()))
    if (page.complete) return found
    next = page.next
  }
  throw new Error('the pages do not end')
}

export type Logged = Awaited<ReturnType<typeof everything>>['events'][number]

export function wants(filter: EventFilter, event: Logged, values: readonly NewEmail[]): boolean {
  const { companyId, domainId, types, recipient, emailId, tags, since, until } = filter
  const of = values.find(({ id }) => id === event.emailId)!
  return (
    event.companyId === companyId &&
    (domainId === undefined || of.domainId === domainId) &&
    (types === undefined || types.includes(event.type)) &&
    (recipient === undefined || addressOf(event, of).toLowerCase() === recipient.toLowerCase()) &&
    (emailId === undefined || event.emailId === emailId) &&
    (tags === undefined || tags.some((tag) => hasTagInAnyCase(of, tag))) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  )
}

export function wantsEmail(
  filter: EmailFilter,
  value: NewEmail,
  lastEvent?: EventType,
  had?: ReadonlySet<EventType>,
): boolean {
  const {
    companyId,
    domainId,
    keyId,
    to,
    toPart,
    from,
    subject,
    words,
    tag,
    events,
    hadEvents,
    since,
    until,
  } = filter
  return (
    (companyId === null || value.companyId === companyId) &&
    (domainId === undefined || value.domainId === domainId) &&
    (keyId === undefined || value.keyId === keyId) &&
    (words === undefined ||
      words.every((each) => phraseStart(filedPart(value.content.subject), wordsIn(each)) >= 0)) &&
    (to === undefined ||
      value.recipients.some(({ address }) => address.toLowerCase() === to.toLowerCase())) &&
    (toPart === undefined ||
      value.recipients.some(({ address }) => address.toLowerCase().includes(toPart.toLowerCase()))) &&
    (from === undefined || value.content.from.toLowerCase().includes(from.toLowerCase())) &&
    (subject === undefined || value.content.subject.toLowerCase().includes(subject)) &&
    (events === undefined || (lastEvent !== undefined && events.includes(lastEvent))) &&
    (hadEvents === undefined || hadEvents.some((type) => had?.has(type) === true)) &&
    (tag === undefined || isTagged(value, tag)) &&
    (since === undefined || value.createdAt >= since) &&
    (until === undefined || value.createdAt < until)
  )
}

/** What happened to an email as a whole is about the first address of its To. */
function addressOf({ address }: Logged, { content }: NewEmail): string {
  return address ?? content.to[0] ?? ''
}

function hasTagInAnyCase(email: NewEmail, { name, value }: NonNullable<EmailFilter['tag']>): boolean {
  const lower = email.tags.map((tag) => ({ name: tag.name.toLowerCase(), value: tag.value.toLowerCase() }))
  const wanted = { name: name.toLowerCase(), ...(value !== undefined && { value: value.toLowerCase() }) }
  return hasTag({ ...email, tags: lower }, wanted)
}

function hasTag({ tags }: NewEmail, { name, value }: NonNullable<EmailFilter['tag']>): boolean {
  return tags.some((tag) => tag.name === name && (value === undefined || tag.value === value))
}

/** Of emails, also by what the form dialect's tags, which are values of the name `tag`, are called there. */
function isTagged(email: NewEmail, tag: NonNullable<EmailFilter['tag']>): boolean {
  const value = tag.value === undefined ? tag.name : `${tag.name}:${tag.value}`
  return hasTag(email, tag) || hasTag(email, { name: 'tag', value })
}
