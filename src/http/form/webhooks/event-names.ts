/** Reads the event types that a request names. */
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { commaList } from '../../comma-list.ts'
import { type FormWebhook, urlsOf, WORDS } from './by-word.ts'

/** The most URLs of one event type. */
export const MAX_URLS = 3

/** mailgun.js sends `unsubscribe` for `unsubscribed`. Throws a Refusal. */
export function wordOf(text: string, field = 'id'): string {
  const word = text === 'unsubscribe' ? 'unsubscribed' : text
  if (WORDS.includes(word)) return word
  throw invalidField(field, `there is no event "${text}"; the events are ${WORDS.join(', ')}`)
}

/** Each event type once; one text may contain several, separated by commas. Throws a Refusal. */
export function eventNamesIn(field: string, given: string | string[]): string[] {
  const words = commaList(given)
  if (words.length === 0) throw new Refusal({ code: 'field_missing', field })
  return [...new Set(words.map((word) => wordOf(word, field)))]
}

/** Throws a Refusal when one of these event types already has its maximum of other URLs. */
export function requireRoom(webhooks: readonly FormWebhook[], url: string, words: readonly string[]): void {
  const others = webhooks.filter((each) => each.url !== url)
  const full = words.find((word) => urlsOf(others, word).length >= MAX_URLS)
  if (full !== undefined) throw invalidField('event_types', `${full} can be sent to at most ${MAX_URLS} URLs`)
}
