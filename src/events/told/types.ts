/** What webhooks of each dialect call the types of events. */
import type { EventType } from '../../email/event.ts'
import { type ToldEvent, WHOLE } from '../../email/told-event.ts'
import type { WebhookDialect, WebhookType } from '../../store/store.ts'
import { FORM_WORDS, formWord } from './form.ts'
import { JSON_TYPES } from './json.ts'
import { isUnsent } from './unsent.ts'

type Words = Readonly<Record<EventType, string | null>>

const WORDS: Readonly<Record<WebhookDialect, Words>> = {
  json: JSON_TYPES,
  form: webhookWordsOf(FORM_WORDS),
}

/** All dialects of webhooks. */
export const WEBHOOK_DIALECTS = Object.keys(WORDS) as WebhookDialect[]

function webhookWordsOf(table: typeof FORM_WORDS): Words {
  return Object.fromEntries(
    Object.entries(table).map(([type, word]) => [type, word?.webhook ?? null]),
  ) as Words
}

/** What a dialect calls a type; null: it has no word for it. */
export function wordOfType(dialect: WebhookDialect, type: EventType): string | null {
  return WORDS[dialect][type]
}

/**
 * Whether a dialect tells this event once for each recipient of its email, and not of the email as a whole. The form
 * dialect accepts recipients; a batch is a message for each of them in every dialect.
 */
export function isToldOfEach(dialect: WebhookDialect, told: ToldEvent): boolean {
  const { event, email, part } = told
  if (part !== WHOLE || event.recipient !== null || email === null) return false
  if (dialect === 'form') return formWord(event, email)?.event === 'accepted'
  return email.individual && wordOfType(dialect, event.type) !== null
}

/** Each word with the types that it stands for, in the order of the tables. */
const TYPES_OF: Readonly<Record<WebhookDialect, ReadonlyMap<string, readonly EventType[]>>> = {
  json: typesByWord(WORDS.json),
  form: typesByWord(WORDS.form),
}

function typesByWord(words: Words): Map<string, EventType[]> {
  const types = (Object.keys(words) as EventType[]).filter((type) => words[type] !== null)
  return Map.groupBy(types, (type) => words[type]!)
}

/** All words of a dialect. */
export function webhookWords(dialect: WebhookDialect): string[] {
  return [...TYPES_OF[dialect].keys()]
}

/** Null: the dialect has no such word. */
export function typesOfWord(dialect: WebhookDialect, word: string): readonly EventType[] | null {
  return TYPES_OF[dialect].get(word) ?? null
}

/**
 * Returns the words whose types are all among `types`, or all words if `types` is empty, which stands for everything.
 * Words that are never sent come last.
 */
export function wordsOfTypes(dialect: WebhookDialect, types: readonly WebhookType[]): string[] {
  const words = [...TYPES_OF[dialect]]
  const meant = words.filter(([, each]) => types.length === 0 || each.every((type) => types.includes(type)))
  return [...meant.map(([word]) => word), ...types.filter((type) => isUnsent(dialect, type))]
}
