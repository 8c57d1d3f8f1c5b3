/** The values of an event that filters examine, by their names in a query. */
import { EVENT_TYPES, type EventType } from '../../../email/event.ts'
import { FORM_WORDS } from '../../../events/notices/form.ts'
import { type Expression, fits, type MatchTarget, termsOf } from './expression.ts'
import { TermMatcher } from './terms.ts'

/** An event in this dialect. */
export type EventObject = Record<string, unknown>

interface EventMessage {
  headers: Record<string, string>
  attachments: { filename: string }[]
  recipients: string[]
  size: number
}

export const FILTERS = [
  'event',
  'severity',
  'recipient',
  'recipients',
  'to',
  'from',
  'subject',
  'attachment',
  'message-id',
  'tags',
  'size',
  'list',
] as const
export type FilterField = (typeof FILTERS)[number]

type FieldTexts = readonly (string | undefined)[]

/** Reads the value of an event to which terms are compared. `address`: of the recipient, as in the envelope. */
type MatchTargetReader = (eventObject: EventObject, terms: TermMatcher, address: string) => MatchTarget

const lowerCased = (values: FieldTexts) => values.flatMap((value) => value?.toLowerCase() ?? [])
const whole =
  (read: (eventObject: EventObject, address: string) => FieldTexts): MatchTargetReader =>
  (eventObject, _, address) => {
    const all = new Set(lowerCased(read(eventObject, address)))
    return { matches: (term) => all.has(term) }
  }
const partly =
  (read: (eventObject: EventObject) => FieldTexts): MatchTargetReader =>
  (eventObject, terms) => ({ matches: terms.within(lowerCased(read(eventObject))) })

const message = (eventObject: EventObject) => eventObject.message as EventMessage
const header = (eventObject: EventObject, name: string) => message(eventObject).headers[name]

const READ: Readonly<Record<FilterField, MatchTargetReader>> = {
  event: whole((eventObject) => [eventObject.event as string]),
  severity: whole((eventObject) => [eventObject.severity as string | undefined]),
  recipient: whole((eventObject, address) => [eventObject.recipient as string, address]),
  recipients: whole((eventObject) => message(eventObject).recipients),
  to: partly((eventObject) => [header(eventObject, 'to')]),
  from: partly((eventObject) => [header(eventObject, 'from')]),
  subject: partly((eventObject) => [header(eventObject, 'subject')]),
  attachment: partly((eventObject) => message(eventObject).attachments.map(({ filename }) => filename)),
  'message-id': whole((eventObject) => {
    const id = header(eventObject, 'message-id')
    return [id, `<${id}>`]
  }),
  tags: whole((eventObject) => eventObject.tags as string[]),
  size: (eventObject) => {
    const { size } = message(eventObject)
    return { matches: (term) => term === String(size), number: size }
  },
  // The service has no mailing lists.
  list: whole(() => []),
}

/** Returns the test of whether an event fits all of these filters. */
export function filterTest(
  filters: readonly (readonly [FilterField, Expression])[],
): (eventObject: EventObject, address?: string) => boolean {
  const each = filters.map(([name, expression]) => {
    return { read: READ[name], expression, terms: new TermMatcher(termsOf(expression)) }
  })
  return (eventObject, address = '') =>
    each.every(({ read, expression, terms }) => fits(expression, read(eventObject, terms, address)))
}

/** Event types shown as one of these events, with one of these severities; null: with any. */
export function typesOf(events: string[] | null, severities: string[] | null): EventType[] {
  return EVENT_TYPES.filter((type) => {
    const word = FORM_WORDS[type]
    if (word === null || (events !== null && !events.includes(word.event))) return false
    return severities === null || (word.severity !== undefined && severities.includes(word.severity))
  })
}
