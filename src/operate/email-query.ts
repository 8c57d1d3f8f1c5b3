/**
 * Parses the query that a person types to find emails: `to:ada@example.com subject:"welcome aboard" event:bounced
 * after:7d invoice`. An id or an address needs no filter; any other word is searched for in
 * subjects, answers of servers, and the texts of the newest emails. Pure.
 */

import { SettingValueError } from '../config/parse.ts'
import { isEmailId } from '../email/email-id.ts'
import { type EventType, LAST_EVENT_TYPES, tagFilterOf } from '../email/event.ts'
import type { EmailSearch } from './email-search.ts'
import { OperateError } from './error.ts'
import { addressIn, domainName } from './find.ts'
import { type Clock, parseTime } from './parse-time.ts'

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
  event: 'bounced',
  key: '"my app"',
  domain: 'example.com',
  company: 'Acme',
  after: '7d',
  before: '2026-01-31',
  has: 'attachment',
  id: '019a9b2c-0000-7000-8000-000000000001',
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
}

/**
 * Throws OperateError (`invalid`), which says what cannot be understood. Days and times without a time zone are in that
 * of the clock.
 */
export function parseEmailQuery(text: string, clock: Clock): EmailQuery {
  if (text.length > LONGEST) throw invalid(`a search can have at most ${LONGEST} characters`)
  const query = new QueryBuilder(clock)
  for (const term of termsOf(text)) query.add(term)
  return query.result()
}

function* termsOf(text: string): Generator<Term> {
  TERM.lastIndex = 0
  const end = text.trimEnd().length
  while (TERM.lastIndex < end) {
    const at = TERM.lastIndex
    const match = TERM.exec(text)
    if (match === null) throw invalid(`"${text.slice(at).trim()}" cannot be understood`)
    const [, name, inside, closed, bare] = match
    if (closed === '') throw invalid('a quotation mark is missing at the end')
    yield {
      filter: name === undefined ? null : filterNamed(name),
      text: inside ?? bare!,
      quoted: inside !== undefined,
    }
  }
}

function filterNamed(name: string): QueryFilter {
  const known = name.toLowerCase()
  if (Object.hasOwn(FILTERS, known)) return FILTERS[known as keyof typeof FILTERS]
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
    const { filter, text } = term
    if (text.trim() === '')
      throw invalid(filter === null ? 'the quotation marks "" are empty' : `"${filter}:" is empty`)
    if (filter === null) this.#addBare(term)
    else this.#addFilter(filter, term)
  }

  result(): EmailQuery {
    if (this.#id !== null) return { kind: 'email', id: this.#id }
    const given = Object.entries(this.#words).filter(([, words]) => words.length > 0)
    return { kind: 'search', search: { ...this.#search, ...Object.fromEntries(given) } }
  }

  #addBare({ text, quoted }: Term): void {
    const half = quoted ? undefined : /^([a-z]+):$/i.exec(text)?.[1]?.toLowerCase()
    if (half !== undefined && Object.hasOwn(FILTERS, half)) {
      const example = EXAMPLES[FILTERS[half as keyof typeof FILTERS]]
      throw invalid(`"${half}:" needs a value directly after it, such as ${half}:${example}`)
    }
    const id = quoted ? null : idIn(text)
    if (id !== null) this.#id = id
    else if (!quoted && isRecipient(text)) this.#addRecipient(text)
    else this.#addWords('anyWords', text)
  }

  #addFilter(filter: QueryFilter, { text, quoted }: Term): void {
    switch (filter) {
      case 'id': {
        const id = idIn(text)
        if (id === null) throw invalid(`"${text}" is not the id of an email`)
        this.#id = id
        return
      }
      case 'to':
        if (!isRecipient(text)) {
          throw invalid(
            `"to:" needs a complete address, such as ada@example.com, or a domain, such as @example.com; "${text}" is neither`,
          )
        }
        this.#addRecipient(text)
        return
      case 'subject':
        // Parts of words are not in the index, so the emails are searched one by one.
        if (!quoted && text.endsWith('*')) this.#set({ subject: text.replace(/\*+$/, '') }, filter)
        else this.#addWords('words', text)
        return
      case 'body':
        this.#addWords('textWords', text)
        return
      case 'reply':
        this.#addWords('replyWords', text)
        return
      case 'tag':
        this.#set({ tag: tagFilterOf(text) }, filter)
        return
      case 'has':
        if (!/^attachments?$/i.test(text)) throw invalid(`"has:" knows only has:attachment, not "${text}"`)
        this.#set({ attachments: true }, filter)
        return
      case 'event':
        this.#set({ events: text.split(',').map(eventNamed) }, filter)
        return
      case 'after':
        this.#set({ since: this.#timeOf(filter, text) }, filter)
        return
      case 'before':
        this.#set({ until: this.#timeOf(filter, text) }, filter)
        return
      default:
        this.#set({ [filter]: text }, filter)
    }
  }

  /** An address, or a domain for all of its addresses. */
  #addRecipient(text: string): void {
    const { to, toDomain } = this.#search
    if (to !== undefined || toDomain !== undefined) throw twice('to')
    this.#set(text.startsWith('@') ? { toDomain: domainName(text.slice(1)) } : { to: addressIn(text) }, 'to')
  }

  #set(part: EmailSearch, filter: QueryFilter): void {
    if (Object.keys(part).some((name) => name in this.#search)) {
      throw twice(filter)
    }
    this.#search = { ...this.#search, ...part }
  }

  #addWords(field: WordField, text: string): void {
    if (!/[\p{L}\p{N}]/u.test(text)) throw invalid(`"${text}" has no letter or digit to search for`)
    this.#words[field].push(text)
  }

  #timeOf(filter: QueryFilter, text: string): number {
    try {
      return parseTime(text, this.#clock)
    } catch (error) {
      if (!(error instanceof SettingValueError)) throw error
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

function isRecipient(text: string): boolean {
  return /^[^\s@]*@[^\s@]+$/.test(text)
}

function twice(filter: QueryFilter): OperateError {
  return invalid(`"${filter}:" is given twice, but an email would have to match both`)
}

function eventNamed(text: string): EventType {
  const word = text.trim().toLowerCase()
  const common = Object.hasOwn(EVENT_WORDS, word) ? EVENT_WORDS[word] : undefined
  const known = LAST_EVENT_TYPES.find((type) => type === word) ?? common
  if (known !== undefined) return known
  throw invalid(`there is no event "${text.trim()}"; the events are ${LAST_EVENT_TYPES.join(', ')}`)
}

function invalid(message: string): OperateError {
  return new OperateError('invalid', message)
}
