/** What webhooks of each dialect call the types of events. */
import type { EventType } from '../../email/event.ts'
import type { WebhookDialect, WebhookType } from '../../store/store.ts'
import { FORM_WORDS } from './form.ts'
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
