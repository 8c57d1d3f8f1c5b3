/** What a search may go on with, by the term that is being typed at its end. Pure. */
import { STATUSES } from './search.ts'

export interface Completion {
  /** In the place of the term. */
  term: string
  about: string
  /** More is to be typed right behind it. */
  open?: true
}

/** As the service understands them (`email-query.ts`). */
export const FILTERS = [
  { name: 'to', about: 'a recipient, or all of a domain: to:@example.com', example: 'to:ada@example.com' },
  { name: 'from', about: 'a part of the sender', example: 'from:shop@' },
  { name: 'subject', about: 'words of the subject', example: 'subject:"welcome aboard"' },
  { name: 'event', about: 'what became of it', example: 'event:bounced' },
  { name: 'tag', about: 'a tag, or name:value', example: 'tag:receipt' },
  { name: 'domain', about: 'a sending domain', example: 'domain:example.com' },
  { name: 'key', about: 'an API key, by name', example: 'key:"my app"' },
  { name: 'after', about: 'accepted then or later', example: 'after:7d' },
  { name: 'before', about: 'accepted before', example: 'before:2026-01-31' },
] as const
export type FilterName = (typeof FILTERS)[number]['name']

const TIMES = [
  ['1h', 'an hour ago'],
  ['24h', 'a day ago'],
  ['7d', 'seven days ago'],
  ['today', 'as today begins'],
  ['yesterday', 'as yesterday begins'],
] as const

const MOST = 8

/** The last term, which somebody is typing; '' where he begins another one. */
export function lastTerm(text: string): string {
  return /(?:^|\s)((?:[a-z]+:)?(?:"[^"]*|[^\s"]*))$/i.exec(text)?.[1] ?? ''
}

export function withTerm(text: string, { term, open }: Completion): string {
  const before = text.slice(0, text.length - lastTerm(text).length)
  return `${before}${term}${open ? '' : ' '}`
}

/** The filter whose value is being typed, and what there is of it. */
export function valueBegun(text: string): { name: FilterName; begun: string } | null {
  const [, name, begun = ''] = /^([a-z]+):"?([^"]*)$/i.exec(lastTerm(text)) ?? []
  const filter = FILTERS.find((each) => each.name === name?.toLowerCase())
  return filter === undefined ? null : { name: filter.name, begun }
}

/** `known`: values of the filter that the service knows. */
export function completionsOf(text: string, known: readonly Choice[]): Completion[] {
  const value = valueBegun(text)
  if (value !== null) return valuesOf(value, known).slice(0, MOST)
  const term = lastTerm(text).toLowerCase()
  if (term === '' && text !== '') return []
  const begun = FILTERS.filter(({ name }) => name.startsWith(term))
  return begun.map(({ name, about }) => ({ term: `${name}:`, about, open: true }))
}

/** One of what there is: `value` is what the filter takes. */
export interface Choice {
  value: string
  about: string
}

function valuesOf(
  { name, begun }: { name: FilterName; begun: string },
  known: readonly Choice[],
): Completion[] {
  const term = (value: string) => `${name}:${quotedWhereNeeded(value)}`
  switch (name) {
    case 'event': {
      // Several are one filter, with commas.
      const at = begun.lastIndexOf(',') + 1
      const last = begun.slice(at).toLowerCase()
      const found = STATUSES.filter((status) => status.startsWith(last) && status !== last)
      return found.map((status) => ({ term: term(begun.slice(0, at) + status), about: '' }))
    }
    case 'after':
    case 'before': {
      const found = TIMES.filter(([time]) => time.startsWith(begun.toLowerCase()) && time !== begun)
      return found.map(([time, about]) => ({ term: term(time), about }))
    }
    case 'domain':
    case 'key':
    case 'tag':
      return known
        .filter((choice) => choice.value !== begun)
        .map((choice) => ({ term: term(choice.value), about: choice.about }))
    default:
      return []
  }
}

function quotedWhereNeeded(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value
}
