/** The kinds of events that a request names. */
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { WORDS } from './by-word.ts'

/** That one kind of event is told to. */
export const MOST_URLS = 3

/** `unsubscribe` is what mailgun.js calls that one. Throws a Refusal. */
export function wordOf(text: string, field = 'id'): string {
  const word = text === 'unsubscribe' ? 'unsubscribed' : text
  if (WORDS.includes(word)) return word
  throw invalidField(field, `there is no event "${text}"; there are ${WORDS.join(', ')}`)
}

/** Each once. Several may be in one text, with commas between. Throws a Refusal. */
export function wordsGiven(field: string, given: string | string[]): string[] {
  const texts = [given].flat().flatMap((text) => text.split(','))
  const words = texts.map((text) => text.trim()).filter((text) => text !== '')
  if (words.length === 0) throw new Refusal({ code: 'field_missing', field })
  return [...new Set(words.map((word) => wordOf(word, field)))]
}
