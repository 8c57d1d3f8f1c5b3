/**
 * The words for the status of an email and of a recipient, on every page and in the command line. Pure, because the
 * console's page uses this module, too.
 */
import type { EventType } from '../email/event.ts'
import { CAPTURE_SERVER, type CountedState } from '../email/recipient.ts'
import type { RecipientStatus } from './status-sentence.ts'

export type StatusName =
  | 'accepted'
  | 'scheduled'
  | 'sending'
  | 'retrying'
  | 'paused'
  | 'held'
  | 'quarantined'
  | 'delivered'
  | 'captured'
  | 'opened'
  | 'clicked'
  | 'unsubscribed'
  | 'bounced'
  | 'failed'
  | 'complained'
  | 'suppressed'
  | 'canceled'

export interface StatusWord {
  word: string
  /** A sentence that explains the status. */
  about: string
}

export const STATUS_WORDS: Readonly<Record<StatusName, StatusWord>> = {
  accepted: { word: 'Accepted', about: 'Postroad accepted it, and is about to send it.' },
  scheduled: { word: 'Scheduled', about: 'It will be sent at the time that its sender set.' },
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

type WaitFacts = Pick<RecipientStatus, 'state' | 'waits' | 'attempts' | 'tries' | 'server'>

/** The status of one recipient. `most`: the attempts after which it fails permanently. */
export function statusOfRecipient(recipient: WaitFacts, most: number): Status {
  const { state, waits, attempts, tries, server } = recipient
  if (state !== 'waiting')
    return { of: state === 'delivered' && server === CAPTURE_SERVER ? 'captured' : state }
  switch (waits) {
    case 'schedule':
      return { of: 'scheduled' }
    case 'pause':
      return { of: 'paused' }
    case 'domain':
    case 'path':
      return { of: 'held' }
    default:
      if (attempts > 0) return { of: 'retrying', note: `${Math.min(attempts + 1, most)} of ${most}` }
      return { of: tries === 0 ? 'accepted' : 'retrying' }
  }
}

export interface EmailFacts {
  lastEvent: EventType
  recipients: number
  /** Counts of the recipients that were read, which may be fewer than all. */
  states: readonly { state: CountedState; count: number }[]
}

/** States that an email with several recipients takes from any of them, the worst first. */
const WORST: readonly CountedState[] = ['quarantined', 'failed', 'bounced', 'suppressed']

/** The status of an email. `note`: the share of its recipients that it applies to. */
export function statusOfEmail({ lastEvent, recipients, states }: EmailFacts): Status {
  const count = (state: CountedState) => states.find((each) => each.state === state)?.count ?? 0
  const known = states.reduce((sum, each) => sum + each.count, 0)
  const of = (name: StatusName, some: number): Status => {
    return some >= known
      ? { of: name }
      : { of: name, note: `${some}${recipients > known ? '+' : ''} of ${recipients}` }
  }
  const last = OF_EVENT[lastEvent]
  if (recipients > 1) {
    const worst = WORST.find((state) => count(state) > 0) as StatusName | undefined
    if (worst !== undefined) return of(worst, count(worst as CountedState))
  }
  if (last === 'accepted' && count('sending') > 0) return of('sending', count('sending'))
  if (last === 'retrying' && count('waiting') > 0) return of(last, count('waiting'))
  if (last === 'delivered') {
    const captured = count('captured')
    return captured > 0 ? of('captured', captured) : of(last, count('delivered'))
  }
  return { of: last }
}
