/** The names of event types in the webhooks of each dialect. */
import { COMPANY_EVENT_TYPES, type EntryType, type LogEntry } from '../../email/company-event.ts'
import { type EventNotice, isOfEmail, WHOLE } from '../../email/event-notice.ts'
import type { WebhookDialect, WebhookType } from '../../store/store.ts'
import { FORM_WORDS, formWord } from './form.ts'
import { JSON_COMPANY_TYPES, JSON_TYPES } from './json.ts'
import { eventTypesIn, isUnsent } from './unsent.ts'

type TypeNames = Readonly<Record<EntryType, string | null>>

const WORDS: Readonly<Record<WebhookDialect, TypeNames>> = {
  json: { ...JSON_TYPES, ...JSON_COMPANY_TYPES },
  form: webhookWordsOf(FORM_WORDS),
}

/** All dialects of webhooks. */
export const WEBHOOK_DIALECTS = Object.keys(WORDS) as WebhookDialect[]

/** This dialect has no words for events of a company. */
function webhookWordsOf(table: typeof FORM_WORDS): TypeNames {
  return Object.fromEntries([
    ...Object.entries(table).map(([type, word]) => [type, word?.webhook ?? null]),
    ...COMPANY_EVENT_TYPES.map((type) => [type, null]),
  ]) as TypeNames
}

/** A dialect's name for a type; null: it has none. */
export function wordOfType(dialect: WebhookDialect, type: EntryType): string | null {
  return WORDS[dialect][type]
}

/**
 * Whether a dialect reports this event once for each recipient of its email instead of once for the email as a whole.
 * The form dialect does so when an email is accepted; every dialect does for a batch, which is a separate message for
 * each recipient.
 */
export function isReportedPerRecipient(dialect: WebhookDialect, notice: EventNotice<LogEntry>): boolean {
  if (!isOfEmail(notice)) return false
  const { event, email, part } = notice
  if (part !== WHOLE || event.recipient !== null || email === null) return false
  if (dialect === 'form') return formWord(event, email)?.event === 'accepted'
  return email.individual && wordOfType(dialect, event.type) !== null
}

/** Each word with the types it stands for, in the order of the tables. */
const TYPES_OF: Readonly<Record<WebhookDialect, ReadonlyMap<string, readonly EntryType[]>>> = {
  json: typesByWord(WORDS.json),
  form: typesByWord(WORDS.form),
}

function typesByWord(words: TypeNames): Map<string, EntryType[]> {
  const types = (Object.keys(words) as EntryType[]).filter((type) => words[type] !== null)
  return Map.groupBy(types, (type) => words[type]!)
}

/** All words of a dialect. */
export function webhookWords(dialect: WebhookDialect): string[] {
  return [...TYPES_OF[dialect].keys()]
}

/** Null: the dialect has no such word. */
export function typesOfWord(dialect: WebhookDialect, word: string): readonly EntryType[] | null {
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

/** The types of events that a webhook gets. `types`: those in its settings; empty: all. */
export function typesSent(dialect: WebhookDialect, types: readonly WebhookType[]): EntryType[] {
  return types.length === 0 ? [...TYPES_OF[dialect].values()].flat() : eventTypesIn(types)
}
