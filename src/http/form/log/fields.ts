/** What of an event filters look at, by the names they have in a query. */
import { EVENT_TYPES, type EventType } from '../../../email/event.ts'
import { FORM_WORDS } from '../../../events/told/form.ts'
import type { Matched } from './expression.ts'

/** An event as this dialect shows it. */
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

const whole = (values: readonly (string | undefined)[]): Matched => {
  const lower = values.map((value) => value?.toLowerCase())
  return { matches: (term) => lower.includes(term) }
}
const partly = (values: readonly (string | undefined)[]): Matched => {
  const lower = values.map((value) => value?.toLowerCase())
  return { matches: (term) => lower.some((value) => value?.includes(term)) }
}

const message = (shown: Shown) => shown.message as Message
const header = (shown: Shown, name: string) => message(shown).headers[name]

const READ: Readonly<Record<Filter, (shown: Shown) => Matched>> = {
  event: (shown) => whole([shown.event as string]),
  severity: (shown) => whole([shown.severity as string | undefined]),
  recipient: (shown) => whole([shown.recipient as string]),
  recipients: (shown) => whole(message(shown).recipients),
  to: (shown) => partly([header(shown, 'to')]),
  from: (shown) => partly([header(shown, 'from')]),
  subject: (shown) => partly([header(shown, 'subject')]),
  attachment: (shown) => partly(message(shown).attachments.map(({ filename }) => filename)),
  'message-id': (shown) => {
    const id = header(shown, 'message-id')
    return whole([id, `<${id}>`])
  },
  tags: (shown) => whole(shown.tags as string[]),
  size: (shown) => {
    const { size } = message(shown)
    return { matches: (term) => term === String(size), number: size }
  },
  // There are no mailing lists here.
  list: () => whole([]),
}

export function readField(filter: Filter, shown: Shown): Matched {
  return READ[filter](shown)
}

/** What can be shown as one of these events, with one of these severities; null: with any. */
export function typesOf(events: string[] | null, severities: string[] | null): EventType[] {
  return EVENT_TYPES.filter((type) => {
    const word = FORM_WORDS[type]
    if (word === null || (events !== null && !events.includes(word.event))) return false
    return severities === null || (word.severity !== undefined && severities.includes(word.severity))
  })
}
