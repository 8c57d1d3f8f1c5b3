/**
 * Parses the query that a person types to find emails: `to:ada@example.com subject:"welcome aboard" event:bounced
 * after:7d invoice`. An id needs no filter; any other word, or an address or a part of one, is searched for in
 * subjects, addresses, answers of servers, and the texts of the newest emails.
 *
 * The last word may be the beginning of one. People also see what a query finds while they type it: as long as they do,
 * the last term may be incomplete as well, and does not count if it cannot mean anything yet. Every other reader, such
 * as an action on all that a query finds, gets an error then, because the emails would be more than those meant. Pure.
 */

import { SettingValueError } from '../config/parse/value-error.ts'
import { isEmailId } from '../email/email-id.ts'
import { EVENT_TYPES, type EventType, tagFilterOf } from '../email/event.ts'
import type { EmailSearch } from './email-search.ts'
import { OperateError } from './error.ts'
import { addressIn, domainName } from './find.ts'
import { type Clock, parseTime } from './parse-time.ts'
import { STATUS_FILTERS, type StatusFilter, statusFilterNamed, statusOfEvent } from './status-word.ts'

/** An email named by its id, or a search. */
export type EmailQuery = { kind: 'email'; id: string } | { kind: 'search'; search: EmailSearch }

/** Characters of one query. */
const LONGEST = 1_000

/** Filters by name; some have two names. */
const FILTERS = {
  to: 'to',
  from: 'from',
  subject: 'subject',
  body: 'body',
  reply: 'reply',
  tag: 'tag',
  event: 'event',
  status: 'status',
  key: 'key',
  domain: 'domain',
  company: 'company',
  after: 'after',
  since: 'after',
  before: 'before',
  until: 'before',
  has: 'has',
  id: 'id',
} as const
type QueryFilter = (typeof FILTERS)[keyof typeof FILTERS]

const EXAMPLES: Readonly<Record<QueryFilter, string>> = {
  to: 'ada@example.com',
  from: 'shop@',
  subject: 'welcome',
  body: '"order 4711"',
  reply: '"mailbox full"',
  tag: 'receipt',
  event: 'opened',
  status: 'retrying',
  key: '"my app"',
  domain: 'example.com',
  company: 'Acme',
  after: '7d',
  before: '2026-01-31',
  has: 'attachment',
  id: '019a9b2c-0000-7000-8000-000000000001',
}

/** Fields of a search that are called otherwise than their filter. */
const FILTERS_OF_FIELDS: Readonly<Partial<Record<string, QueryFilter>>> = {
  toDomain: 'to',
  toPart: 'to',
  hadEvents: 'event',
  statuses: 'status',
  since: 'after',
  until: 'before',
  attachments: 'has',
} satisfies Partial<Record<keyof EmailSearch, QueryFilter>>

/** The filter that people type for a field of a search. */
export function filterOfField(field: string): string {
  return FILTERS_OF_FIELDS[field] ?? field
}

/** Common words for types of events. */
const EVENT_WORDS: Readonly<Record<string, EventType>> = {
  delayed: 'delivery_delayed',
  bounce: 'bounced',
  complaint: 'complained',
  spam: 'complained',
  cancelled: 'canceled',
}

const TERM = /\s*(?:([a-z]+):(?!\s|$))?(?:"([^"]*)("?)|(\S+))/iy

type WordField = 'words' | 'replyWords' | 'textWords' | 'anyWords'

interface Term {
  /** Null: the term names none. */
  filter: QueryFilter | null
  text: string
  quoted: boolean
  /** It is the last one: its last word may be the beginning of one. */
  open: boolean
  /** It is the last one, and may be incomplete. */
  typing: boolean
}

interface QueryReading {
  /** The person is still typing: an incomplete term at the end is no error. */
  typing?: boolean | undefined
}

/**
 * Throws OperateError (`invalid`), which says what cannot be understood. Days and times without a time zone are in that
 * of the clock.
 */
export function parseEmailQuery(
  text: string,
  clock: Clock,
  { typing = false }: QueryReading = {},
): EmailQuery {
  if (text.length > LONGEST) throw invalid(`a search can have at most ${LONGEST} characters`)
  const query = new QueryBuilder(clock)
  for (const term of termsOf(text)) query.add({ ...term, typing: typing && term.open })
  return query.result()
}

function* termsOf(text: string): Generator<Omit<Term, 'typing'>> {
  TERM.lastIndex = 0
  const end = text.trimEnd().length
  while (TERM.lastIndex < end) {
    const at = TERM.lastIndex
    const match = TERM.exec(text)
    if (match === null) throw invalid(`"${text.slice(at).trim()}" cannot be understood`)
    const [, name, inside, closed, bare] = match
    const open = TERM.lastIndex >= end && (inside === undefined || closed === '')
    if (name !== undefined && !isFilter(name) && bare?.startsWith('//') === true) {
      // The address of a page, whose scheme is no filter.
      yield { filter: null, text: `${name}:${bare}`, quoted: false, open }
      continue
    }
    yield {
      filter: name === undefined ? null : filterNamed(name),
      text: inside ?? bare!,
      quoted: inside !== undefined,
      open,
    }
  }
}

function isFilter(name: string): name is keyof typeof FILTERS {
  return Object.hasOwn(FILTERS, name)
}

function filterNamed(name: string): QueryFilter {
  const known = name.toLowerCase()
  if (isFilter(known)) return FILTERS[known]
  const names = Object.keys(FILTERS).join(', ')
  throw invalid(
    `there is no filter "${name}:"; the filters are ${names}. To search for this text itself, put it into quotation marks`,
  )
}

class QueryBuilder {
  readonly #clock: Clock
  readonly #words: { [Field in WordField]: string[] } = {
    words: [],
    replyWords: [],
    textWords: [],
    anyWords: [],
  }
  #search: EmailSearch = {}
  #id: string | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(term: Term): void {
    const { filter, text, typing } = term
    if (text.trim() === '' && typing) return
    if (text.trim() === '')
      throw invalid(filter === null ? 'the quotation marks are empty' : `"${filter}:" is empty`)
    if (filter === null) this.#addBare(term)
    else this.#addFilter(filter, term)
  }

  result(): EmailQuery {
    if (this.#id !== null) return { kind: 'email', id: this.#id }
    const given = Object.entries(this.#words).filter(([, words]) => words.length > 0)
    return { kind: 'search', search: { ...this.#search, ...Object.fromEntries(given) } }
  }

  #addBare(term: Term): void {
    const { text, quoted, typing } = term
    if (quoted) {
      this.#addWords('anyWords', term)
      return
    }
    const half = /^([a-z]+):$/i.exec(text)?.[1]?.toLowerCase()
    if (half !== undefined && isFilter(half)) {
      if (typing) return
      const example = EXAMPLES[FILTERS[half]]
      throw invalid(`"${half}:" needs a value directly after it, such as ${half}:${example}`)
    }
    const id = idIn(text)
    if (id !== null) this.#id = id
    else if (text.startsWith('@') && isRecipient(text)) this.#addRecipient(term)
    else this.#addWords('anyWords', isRecipient(text) ? { ...term, text: addressIn(text) } : term)
  }

  #addFilter(filter: QueryFilter, term: Term): void {
    const { text, quoted, typing } = term
    switch (filter) {
      case 'id': {
        const id = idIn(text)
        // Ids begin with the time in milliseconds (RFC 9562 5.7), so for a long time with a 0.
        if (id === null && typing && /^<?0[0-9a-f-]*$/i.test(text)) return
        if (id === null) throw invalid(`"${text}" is not the id of an email`)
        this.#id = id
        return
      }
      case 'to':
        this.#addRecipient(term)
        return
      case 'subject':
        // Parts of words are not in the index, so the emails are searched one by one.
        if (!quoted && text.endsWith('*')) this.#set({ subject: text.replace(/\*+$/, '') }, filter)
        else this.#addWords('words', term)
        return
      case 'body':
        this.#addWords('textWords', term)
        return
      case 'reply':
        this.#addWords('replyWords', term)
        return
      case 'tag':
        this.#set({ tag: tagFilterOf(text) }, filter)
        return
      case 'has':
        if (!/^attachments?$/i.test(text) && !(typing && 'attachments'.startsWith(text.toLowerCase())))
          throw invalid(`"has:" knows only has:attachment, not "${text}"`)
        this.#set({ attachments: true }, filter)
        return
      case 'event':
        this.#set(eventsIn(text, typing), filter)
        return
      case 'status':
        this.#set(statusesIn(text, typing), filter)
        return
      case 'after':
        this.#setTime('since', filter, term)
        return
      case 'before':
        this.#setTime('until', filter, term)
        return
      default:
        this.#set({ [filter]: text }, filter)
    }
  }

  /** An address, a domain for all of its addresses, or a part of an address. */
  #addRecipient({ text, typing }: Term): void {
    const { to, toDomain, toPart } = this.#search
    if ([to, toDomain, toPart].some((given) => given !== undefined)) throw twice('to')
    if (!isRecipient(text)) {
      if (!typing && !hasWord(text)) throw nothingToFind(text)
      this.#set({ toPart: text }, 'to')
    } else if (text.startsWith('@')) this.#set({ toDomain: domainName(text.slice(1)) }, 'to')
    else this.#set({ to: addressIn(text) }, 'to')
  }

  #set(part: EmailSearch, filter: QueryFilter): void {
    if (Object.keys(part).some((name) => name in this.#search)) {
      throw twice(filter)
    }
    this.#search = { ...this.#search, ...part }
  }

  #addWords(field: WordField, { text, open, typing }: Term): void {
    if (hasWord(text)) {
      this.#words[field].push(text)
      if (open && field === 'anyWords' && /[\p{L}\p{N}]$/u.test(text)) this.#search.anyWordsOpen = true
    } else if (!typing) throw nothingToFind(text)
  }

  #setTime(bound: 'since' | 'until', filter: QueryFilter, { text, typing }: Term): void {
    try {
      this.#set({ [bound]: parseTime(text, this.#clock) }, filter)
    } catch (error) {
      if (!(error instanceof SettingValueError)) throw error
      if (typing && isTimeBegun(text)) return
      throw invalid(
        `"${filter}:" needs a date like 2026-01-31, a time like 2026-01-31T12:00, today, yesterday, or how long ago: 30m, ` +
          `24h, 7d; "${text}" is none of these`,
      )
    }
  }
}

/** Also accepts the Message-ID that Postroad adds: it begins with the id. */
function idIn(text: string): string | null {
  const id = text.toLowerCase().replace(/^<?([0-9a-f-]{36})(?:@[^\s<>]*>?)?$/, '$1')
  return isEmailId(id) ? id : null
}

/** An address or the domain behind `@`, with nothing missing. */
function isRecipient(text: string): boolean {
  if (!/^[^\s@]*@[^\s@]+$/.test(text)) return false
  try {
    if (text.startsWith('@')) domainName(text.slice(1))
    else addressIn(text)
    return true
  } catch (error) {
    if (error instanceof OperateError) return false
    throw error
  }
}

/** With more characters it would be a date or a time. `2026-02-30` would not. */
function isTimeBegun(text: string): boolean {
  const figures = text.replace(/\d/g, '0')
  const isDay = figures === '0000-00-00'
  if (!isDay && (/^0{1,4}$/.test(figures) || '0000-00-00T00:00:00'.startsWith(figures))) return true
  return ['today', 'yesterday'].some((day) => day.startsWith(text.toLowerCase()))
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

function nothingToFind(text: string): OperateError {
  return invalid(`"${text}" has no letter or digit to search for`)
}

function twice(filter: QueryFilter): OperateError {
  return invalid(`"${filter}:" is given twice, but an email would have to match both`)
}

/** Events that the emails have had. A status that is no event is found all the same. */
function eventsIn(text: string, typing: boolean): EmailSearch {
  try {
    const hadEvents = namesIn(text, typing, EVENT_TYPES, eventNamed)
    return hadEvents.length === 0 ? {} : { hadEvents }
  } catch (error) {
    if (!text.split(',').every((word) => statusNamed(word) !== null)) throw error
    return statusesIn(text, typing)
  }
}

function statusesIn(text: string, typing: boolean): EmailSearch {
  const names = namesIn(text, typing, STATUS_FILTERS, (word) => {
    const found = statusNamed(word)
    if (found !== null) return found
    throw invalid(`there is no status "${word.trim()}"; the statuses are ${STATUS_FILTERS.join(', ')}`)
  })
  return names.length === 0 ? {} : { statuses: [...new Set(names)] }
}

/** Names with commas between them. Of a name that is still being typed: those that begin so. */
function namesIn<Name extends string>(
  text: string,
  typing: boolean,
  known: readonly Name[],
  named: (word: string) => Name,
): Name[] {
  const words = text.split(',')
  const last = words.at(-1)!.trim().toLowerCase()
  const begun = typing && last !== '' ? known.filter((name) => name.startsWith(last)) : []
  const whole = typing && (last === '' || begun.length > 0) ? words.slice(0, -1) : words
  if (whole.some((word) => word.trim() === ''))
    throw invalid(`"${text}" has a comma without a name beside it`)
  return [...whole.map(named), ...begun]
}

function eventNamed(text: string): EventType {
  const found = eventOf(text)
  if (found !== undefined) return found
  throw invalid(`there is no event "${text.trim()}"; the events are ${EVENT_TYPES.join(', ')}`)
}

function eventOf(text: string): EventType | undefined {
  const word = text.trim().toLowerCase()
  const common = Object.hasOwn(EVENT_WORDS, word) ? EVENT_WORDS[word] : undefined
  return EVENT_TYPES.find((type) => type === word) ?? common
}

/** By the name of the status, or of the event that leads to it; null: there is none. */
function statusNamed(text: string): StatusFilter | null {
  const word = text.trim().toLowerCase()
  const found = statusFilterNamed(word)
  if (found !== null) return found
  const event = eventOf(word)
  return event === undefined ? null : statusFilterNamed(statusOfEvent(event))
}

function invalid(message: string): OperateError {
  return new OperateError('invalid', message)
}
