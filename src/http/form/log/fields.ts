/** What of an event filters look at, by the names they have in a query. */
import type { EventType } from '../../../email/event.ts'
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

/** The types that this dialect has a word for. */
const TYPES: Readonly<Record<string, readonly EventType[]>> = {
  accepted: ['sent', 'scheduled'],
  delivered: ['delivered'],
  failed: ['delivery_delayed', 'bounced', 'failed', 'suppressed'],
  opened: ['opened'],
  clicked: ['clicked'],
  complained: ['complained'],
  unsubscribed: ['unsubscribed'],
}
const SEVERITIES: Readonly<Record<string, readonly EventType[]>> = {
  temporary: ['delivery_delayed'],
  permanent: ['bounced', 'failed', 'suppressed'],
}

/** What the words of `event` and of `severity` can be, as far as they are known; undefined: anything. */
export function typesOf(events: string[] | null, severities: string[] | null): EventType[] {
  const named = (words: string[] | null, known: Readonly<Record<string, readonly EventType[]>>) =>
    words?.flatMap((word) => (Object.hasOwn(known, word) ? known[word]! : []))
  const all = named(events, TYPES) ?? Object.values(TYPES).flat()
  const severe = named(severities, SEVERITIES)
  return severe === undefined ? all : all.filter((type) => severe.includes(type))
}
