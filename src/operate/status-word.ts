/**
 * The words for the status of an email and of a recipient, on every page and in the command line. Pure, because the
 * console's page uses this module, too.
 */
import type { EventType } from '../email/event.ts'
import { CAPTURE_SERVER, type RecipientState } from '../email/recipient.ts'

export const STATUS_NAMES = [
  'accepted',
  'scheduled',
  'sending',
  'retrying',
  'paused',
  'held',
  'quarantined',
  'delivered',
  'captured',
  'opened',
  'clicked',
  'unsubscribed',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'canceled',
] as const
export type StatusName = (typeof STATUS_NAMES)[number]

export interface StatusWord {
  word: string
  /** A sentence that explains the status. */
  about: string
}

export const STATUS_WORDS: Readonly<Record<StatusName, StatusWord>> = {
  accepted: { word: 'Accepted', about: 'Postroad accepted it, and is about to send it.' },
  scheduled: { word: 'Scheduled', about: 'It will be sent at its scheduled time.' },
  sending: { word: 'Sending', about: 'It is being sent now.' },
  retrying: { word: 'Retrying', about: 'It could not be delivered yet. Postroad will try again.' },
  paused: { word: 'Paused', about: 'An operator paused this mail.' },
  held: { word: 'Held', about: 'It waits until its sending domain may send, or its path is clear again.' },
  quarantined: {
    word: 'Quarantined',
    about: 'Sending it crashed a process. It stays in quarantine until an operator releases it.',
  },
  delivered: { word: 'Delivered', about: 'The recipient’s server accepted it.' },
  captured: { word: 'Captured', about: 'It is stored here, and was not sent.' },
  opened: { word: 'Opened', about: 'The recipient opened it.' },
  clicked: { word: 'Clicked', about: 'The recipient clicked a link in it.' },
  unsubscribed: { word: 'Unsubscribed', about: 'The recipient unsubscribed from this mail.' },
  bounced: { word: 'Bounced', about: 'The recipient’s server rejected it permanently.' },
  failed: { word: 'Failed', about: 'It could not be delivered, and Postroad gave up.' },
  complained: { word: 'Complained', about: 'The recipient reported it as spam.' },
  suppressed: {
    word: 'Suppressed',
    about: 'It was not sent because the address is on the suppression list.',
  },
  canceled: { word: 'Canceled', about: 'It was canceled before it was sent.' },
}

/**
 * The statuses that an email has in a list. Having been unsubscribed from is an event behind which it keeps its status.
 */
export type ListedStatus = Exclude<StatusName, 'unsubscribed'>
export const LISTED_STATUSES = STATUS_NAMES.filter((name): name is ListedStatus => name !== 'unsubscribed')

/** The names by which emails are found: statuses, and `waiting` for all mail that is not at an end. */
export type StatusFilter = ListedStatus | 'waiting'
export const STATUS_FILTERS: readonly StatusFilter[] = [...LISTED_STATUSES, 'waiting']

/** Null: there is none with this name. */
export function statusFilterNamed(name: string): StatusFilter | null {
  return STATUS_FILTERS.find((status) => status === name) ?? null
}

/** A status, and what the word needs beside it: `2 of 6`. */
export interface Status {
  of: StatusName
  note?: string
}

const OF_EVENT: Readonly<Record<EventType, StatusName>> = {
  queued: 'accepted',
  scheduled: 'scheduled',
  sent: 'accepted',
  delivered: 'delivered',
  delivery_delayed: 'retrying',
  bounced: 'bounced',
  complained: 'complained',
  opened: 'opened',
  clicked: 'clicked',
  unsubscribed: 'unsubscribed',
  failed: 'failed',
  suppressed: 'suppressed',
  canceled: 'canceled',
}

/** The status that an event leads to. `server`: the server that answered. */
export function statusOfEvent(type: EventType, server?: string): StatusName {
  return type === 'delivered' && server === CAPTURE_SERVER ? 'captured' : OF_EVENT[type]
}

/** The facts of a `RecipientStatus` that its word depends on. */
export interface RecipientFacts {
  state: RecipientState
  /** A `WaitReason`; null: nothing follows. */
  waits: string | null
  server: string | null
  delayed: boolean
}

export function statusNameOf({ state, waits, server, delayed }: RecipientFacts): StatusName {
  if (state === 'sending' && waits === 'path') return 'held'
  if (state !== 'waiting') return state === 'delivered' && server === CAPTURE_SERVER ? 'captured' : state
  switch (waits) {
    case 'schedule':
      return 'scheduled'
    case 'pause':
      return 'paused'
    case 'domain':
    case 'path':
      return 'held'
    case 'retry':
    case 'refusal':
      return 'retrying'
    default:
      return delayed ? 'retrying' : 'accepted'
  }
}

/** The status of one recipient among those of its email. `most`: the attempts after which it fails permanently. */
export function statusOfRecipient(
  { attempts, ...recipient }: RecipientFacts & { attempts: number },
  most: number,
): Status {
  const of = statusNameOf(recipient)
  const note = attemptNote(of, attempts, most)
  return note === undefined ? { of } : { of, note }
}

/** `attempt 2 of 6`: the next attempt of a recipient that has used up `attempts`. */
export function attemptNote(status: StatusName, attempts: number, most: number): string | undefined {
  return status === 'retrying' && attempts > 0
    ? `attempt ${Math.min(attempts + 1, most)} of ${most}`
    : undefined
}

export interface StatusCount {
  status: StatusName
  count: number
  /** `attempt 2 of 6`, where it counts one recipient that is tried again. */
  attempt?: string
}

export interface EmailFacts {
  lastEvent: EventType
  recipients: number
  /** Counts of the recipients that were read, which may be fewer than all. */
  states: readonly StatusCount[]
}

/** Statuses that an email takes from any of its recipients, the one that most needs attention first. */
const URGENT = ['quarantined', 'failed', 'bounced', 'suppressed', 'held', 'paused', 'retrying'] as const
/** The last event of an email with one recipient says more than these: a complaint may follow. */
const ENDED: readonly StatusName[] = ['failed', 'bounced', 'suppressed']
/** Statuses of delayed mail, the one that most needs attention first. */
const DELAYED = ['held', 'paused', 'retrying'] as const
/** Statuses of all mail that still waits, in the same order. */
const UNFINISHED = [...DELAYED, 'scheduled', 'sending', 'accepted'] as const
/** Before the first answer of a server. */
const BEGINNING = ['sending', 'scheduled', 'accepted'] as const

/**
 * The status of an email. `note`: the share of its recipients that it applies to, and the recipients that still wait:
 * behind a final status all of them, behind another those that are delayed.
 */
export function statusOfEmail({ lastEvent, recipients, states }: EmailFacts): Status {
  const count = (name: StatusName) => states.find(({ status }) => status === name)?.count ?? 0
  const known = states.reduce((sum, each) => sum + each.count, 0)
  const of = (name: StatusName): Status => {
    const some = count(name)
    if (some === 0 || some >= recipients) {
      const attempt = recipients === 1 && states.find(({ status }) => status === name)?.attempt
      return attempt ? { of: name, note: attempt } : { of: name }
    }
    const rest = (ENDED.includes(name) ? UNFINISHED : DELAYED).filter(
      (each) => each !== name && count(each) > 0,
    )
    const waiting = rest.map((each) => `, ${count(each)} ${STATUS_WORDS[each].word.toLowerCase()}`)
    return { of: name, note: `${some}${recipients > known ? '+' : ''} of ${recipients}${waiting.join('')}` }
  }
  const urgent = URGENT.find((name) => count(name) > 0 && (recipients > 1 || !ENDED.includes(name)))
  if (urgent !== undefined) return of(urgent)
  const last = OF_EVENT[lastEvent]
  if (last === 'delivered') return of(count('captured') > 0 ? 'captured' : last)
  if (last !== 'accepted' && last !== 'scheduled' && last !== 'retrying') return of(last)
  return of(BEGINNING.find((name) => count(name) > 0) ?? last)
}

/** `Retrying (2 of 6)`. */
export function statusText({ of, note }: Status): string {
  const { word } = STATUS_WORDS[of]
  return note === undefined ? word : `${word} (${note})`
}
