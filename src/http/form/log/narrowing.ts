/** The part of an expression that an index can serve: it never excludes an event that fits. */
import type { EventFilter, EventType, TagFilter } from '../../../email/event.ts'
import { alternatives, type Expression, requiredTerm } from './expression.ts'
import { type FilterField, typesOf } from './fields.ts'

export interface EventConstraints extends Pick<EventFilter, 'recipient' | 'tags' | 'since' | 'until'> {
  types: EventType[]
}

/** The constraints that follow from filters, all of which must fit. */
export function indexConstraints(filters: readonly (readonly [FilterField, Expression])[]): EventConstraints {
  const of = (name: FilterField) =>
    filters.flatMap(([each, expression]) => (each === name ? [expression] : []))
  const [recipient] = of('recipient').flatMap((expression) => requiredTerm(expression) ?? [])
  const [tags] = of('tags').flatMap((expression) => {
    const words = wordsOf(expression)
    return words === null ? [] : [words.flatMap(tagsShownAs)]
  })
  return {
    types: typesOf(alternativesOf(of('event')), alternativesOf(of('severity'))),
    // Only ASCII has an unambiguous lower case.
    ...(recipient !== undefined && /^[!-~]+$/.test(recipient) && { recipient }),
    ...(tags !== undefined && { tags }),
  }
}

function alternativesOf(expressions: readonly Expression[]): string[] | null {
  const known = expressions.map(alternatives).find((words) => words !== null)
  return known ?? null
}

/** The words of which every match contains one; null: there are no such words. */
function wordsOf(expression: Expression): string[] | null {
  const word = requiredTerm(expression)
  return word === null ? alternatives(expression) : [word]
}

/** The tags that an event shows as this word: those of this dialect by their value, others as `name:value`. */
function tagsShownAs(word: string): TagFilter[] {
  const colon = word.indexOf(':')
  const own = { name: 'tag', value: word }
  return colon < 0 ? [own] : [own, { name: word.slice(0, colon), value: word.slice(colon + 1) }]
}
