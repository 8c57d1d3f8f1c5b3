/** What webhooks of each dialect call the types of events. */
import type { EventType } from '../../email/event.ts'
import { JSON_TYPES } from './json.ts'

type Words = Readonly<Record<string, readonly EventType[]>>

const JSON_WORDS: Words = Object.fromEntries(
  Object.entries(JSON_TYPES).map(([type, word]) => [word, [type as EventType]]),
)

const FORM_WORDS: Words = {
  accepted: ['sent', 'scheduled'],
  clicked: ['clicked'],
  complained: ['complained'],
  delivered: ['delivered'],
  opened: ['opened'],
  permanent_fail: ['bounced', 'failed', 'suppressed'],
  temporary_fail: ['delivery_delayed'],
  unsubscribed: ['unsubscribed'],
}

/** Each word with the types that it stands for. */
export const WEBHOOK_WORDS: Readonly<Record<'json' | 'form', Words>> = { json: JSON_WORDS, form: FORM_WORDS }

/** Null: the dialect has no such word. */
export function typesOfWord(dialect: 'json' | 'form', word: string): readonly EventType[] | null {
  const words = WEBHOOK_WORDS[dialect]
  return Object.hasOwn(words, word) ? words[word]! : null
}

/** What a dialect calls a type; null: it has no word for it. */
export function wordOfType(dialect: 'json' | 'form', type: EventType): string | null {
  const words = Object.entries(WEBHOOK_WORDS[dialect])
  return words.find(([, types]) => types.includes(type))?.[0] ?? null
}

/** The words whose types are all among these; all of them where there are none, which stands for everything. */
export function wordsOfTypes(dialect: 'json' | 'form', types: readonly EventType[]): string[] {
  const words = Object.entries(WEBHOOK_WORDS[dialect])
  const meant = words.filter(([, each]) => types.length === 0 || each.every((type) => types.includes(type)))
  return meant.map(([word]) => word)
}
