/** The completions of a search, by the term at its end. Pure. */
import { EVENT_TYPES } from '../../../../src/email/event.ts'
import { STATUS_FILTERS } from '../../../../src/operate/status-word.ts'
import type { Choice, ChoiceKind } from './choices.ts'

export interface Completion {
  /** The text that replaces the term. */
  term: string
  about: string
  /** The value is still missing, so no space follows the term. */
  open?: true
}

/** The filters as the server parses them (`email-query.ts`). */
export const FILTERS = [
  { name: 'to', about: 'a recipient, a part of it, or @example.com', example: 'to:ada@example.com' },
  { name: 'from', about: 'part of the sender', example: 'from:shop@' },
  { name: 'subject', about: 'words in the subject', example: 'subject:"welcome aboard"' },
  { name: 'body', about: 'words in the text', example: 'body:"order 4711"' },
  { name: 'reply', about: 'words in the last reply of a server', example: 'reply:"mailbox full"' },
  { name: 'status', about: 'the status in the list', example: 'status:retrying' },
  { name: 'event', about: 'an event that it has had', example: 'event:opened' },
  { name: 'tag', about: 'a name, a value or name:value', example: 'tag:receipt' },
  { name: 'has', about: 'with attachments', example: 'has:attachment' },
  { name: 'domain', about: 'a sending domain', example: 'domain:example.com' },
  { name: 'key', about: 'an API key, by name', example: 'key:"my app"' },
  { name: 'after', about: 'accepted at this time or later', example: 'after:7d' },
  { name: 'before', about: 'accepted before this time', example: 'before:2026-01-31' },
] as const
type FilterName = (typeof FILTERS)[number]['name']

const TIMES = [
  ['1h', 'an hour ago'],
  ['24h', 'a day ago'],
  ['7d', 'seven days ago'],
  ['today', 'the start of today'],
  ['yesterday', 'the start of yesterday'],
] as const

const MAX = 8

/** The term that is being typed; '' after a space, where a new term begins. */
function lastTerm(text: string): string {
  return /(?:^|\s)((?:[a-z]+:)?(?:"[^"]*|[^\s"]*))$/i.exec(text)?.[1] ?? ''
}

export function withTerm(text: string, { term, open }: Completion): string {
  const before = text.slice(0, text.length - lastTerm(text).length)
  return `${before}${term}${open ? '' : ' '}`
}

/** The filter whose value is being typed, and the part of the value typed so far. */
export function valueBegun(text: string): { name: FilterName; begun: string } | null {
  const [, name, begun = ''] = /^([a-z]+):"?([^"]*)$/i.exec(lastTerm(text)) ?? []
  const filter = FILTERS.find((each) => each.name === name?.toLowerCase())
  return filter === undefined ? null : { name: filter.name, begun }
}

/** The kind of values that the server can complete, and the part of the value typed so far. */
export function choicesWanted(text: string): { kind: ChoiceKind | null; begun: string } {
  const { name, begun = '' } = valueBegun(text) ?? {}
  if (name === 'domain' || name === 'key' || name === 'tag') return { kind: name, begun }
  if (name === 'to' && begun.startsWith('@')) return { kind: 'to', begun: begun.slice(1) }
  return { kind: null, begun: '' }
}

/** `known`: the values of the filter that the server knows. */
export function completionsOf(text: string, known: readonly Choice[]): Completion[] {
  const value = valueBegun(text)
  if (value !== null) return valuesOf(value, known).slice(0, MAX)
  const term = lastTerm(text).toLowerCase()
  if (term === '' && text !== '') return []
  const begun = FILTERS.filter(({ name }) => name.startsWith(term))
  return begun.map(({ name, about }) => ({ term: `${name}:`, about, open: true }))
}

function valuesOf(
  { name, begun }: { name: FilterName; begun: string },
  known: readonly Choice[],
): Completion[] {
  const term = (value: string) => `${name}:${quotedWhereNeeded(value)}`
  switch (name) {
    case 'event':
    case 'status': {
      const names: readonly string[] = name === 'event' ? EVENT_TYPES : STATUS_FILTERS
      // One filter takes several, with commas between them.
      const at = begun.lastIndexOf(',') + 1
      const last = begun.slice(at).toLowerCase()
      const found = names.filter((each) => each.startsWith(last) && each !== last)
      return found.map((each) => ({ term: term(begun.slice(0, at) + each), about: '' }))
    }
    case 'has':
      return 'attachment'.startsWith(begun.toLowerCase()) && begun !== 'attachment'
        ? [{ term: term('attachment'), about: '' }]
        : []
    case 'after':
    case 'before': {
      const found = TIMES.filter(([time]) => time.startsWith(begun.toLowerCase()) && time !== begun)
      return found.map(([time, about]) => ({ term: term(time), about }))
    }
    case 'to':
      return known
        .filter((choice) => `@${choice.value}` !== begun)
        .map(({ value, about }) => ({ term: term(`@${value}`), about }))
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
