/** The values of an event that filters examine, by their names in a query. */
import { EVENT_TYPES, type EventType } from '../../../email/event.ts'
import { FORM_WORDS } from '../../../events/told/form.ts'
import { type Expression, fits, type Matched, termsOf } from './expression.ts'
import { Terms } from './terms.ts'

/** An event in this dialect. */
export type Shown = Record<string, unknown>

interface Message {
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
export type Filter = (typeof FILTERS)[number]

type Texts = readonly (string | undefined)[]

/** Reads the value of an event that terms are matched against. `address`: the recipient's, as in the envelope. */
type Read = (shown: Shown, terms: Terms, address: string) => Matched

const lowered = (values: Texts) => values.flatMap((value) => value?.toLowerCase() ?? [])
const whole =
  (read: (shown: Shown, address: string) => Texts): Read =>
  (shown, _, address) => {
    const all = new Set(lowered(read(shown, address)))
    return { matches: (term) => all.has(term) }
  }
const partly =
  (read: (shown: Shown) => Texts): Read =>
  (shown, terms) => ({ matches: terms.within(lowered(read(shown))) })

const message = (shown: Shown) => shown.message as Message
const header = (shown: Shown, name: string) => message(shown).headers[name]

const READ: Readonly<Record<Filter, Read>> = {
  event: whole((shown) => [shown.event as string]),
  severity: whole((shown) => [shown.severity as string | undefined]),
  recipient: whole((shown, address) => [shown.recipient as string, address]),
  recipients: whole((shown) => message(shown).recipients),
  to: partly((shown) => [header(shown, 'to')]),
  from: partly((shown) => [header(shown, 'from')]),
  subject: partly((shown) => [header(shown, 'subject')]),
  attachment: partly((shown) => message(shown).attachments.map(({ filename }) => filename)),
  'message-id': whole((shown) => {
    const id = header(shown, 'message-id')
    return [id, `<${id}>`]
  }),
  tags: whole((shown) => shown.tags as string[]),
  size: (shown) => {
    const { size } = message(shown)
    return { matches: (term) => term === String(size), number: size }
  },
  // The service has no mailing lists.
  list: whole(() => []),
}

/** Makes the test whether an event fits all of these filters. */
export function fitting(
  filters: readonly (readonly [Filter, Expression])[],
): (shown: Shown, address?: string) => boolean {
  const each = filters.map(([name, expression]) => {
    return { read: READ[name], expression, terms: new Terms(termsOf(expression)) }
  })
  return (shown, address = '') =>
    each.every(({ read, expression, terms }) => fits(expression, read(shown, terms, address)))
}

/** Event types shown as one of these events, with one of these severities; null: with any. */
export function typesOf(events: string[] | null, severities: string[] | null): EventType[] {
  return EVENT_TYPES.filter((type) => {
    const word = FORM_WORDS[type]
    if (word === null || (events !== null && !events.includes(word.event))) return false
    return severities === null || (word.severity !== undefined && severities.includes(word.severity))
  })
}
