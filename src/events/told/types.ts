/** What webhooks of each dialect call the types of events. */
import type { EventType } from '../../email/event.ts'
import { FORM_WORDS } from './form.ts'
import { JSON_TYPES } from './json.ts'

type Dialect = 'json' | 'form'

/** What a dialect calls a type; null: it has no word for it. */
export function wordOfType(dialect: Dialect, type: EventType): string | null {
  return dialect === 'json' ? JSON_TYPES[type] : (FORM_WORDS[type]?.webhook ?? null)
}

/** Each word with the types that it stands for, in the order of the tables. */
const TYPES_OF: Readonly<Record<Dialect, ReadonlyMap<string, readonly EventType[]>>> = {
  json: typesByWord('json', JSON_TYPES),
  form: typesByWord('form', FORM_WORDS),
}

function typesByWord(dialect: Dialect, table: object): Map<string, EventType[]> {
  const types = Object.keys(table) as EventType[]
  return Map.groupBy(
    types.filter((type) => wordOfType(dialect, type) !== null),
    (type) => wordOfType(dialect, type)!,
  )
}

/** All words of a dialect. */
export function webhookWords(dialect: Dialect): string[] {
  return [...TYPES_OF[dialect].keys()]
}

/** Null: the dialect has no such word. */
export function typesOfWord(dialect: Dialect, word: string): readonly EventType[] | null {
  return TYPES_OF[dialect].get(word) ?? null
}

/** The words whose types are all among these; all of them where there are none, which stands for everything. */
export function wordsOfTypes(dialect: Dialect, types: readonly EventType[]): string[] {
  const words = [...TYPES_OF[dialect]]
  const meant = words.filter(([, each]) => types.length === 0 || each.every((type) => types.includes(type)))
  return meant.map(([word]) => word)
}
