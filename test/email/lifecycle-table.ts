/**
 * The table of the lifecycle as data: every happening in every state, with what becomes of a recipient. test/email/lifecycle.test.ts holds
 * the decisions to it, test/store/contract/lifecycle.ts both stores.
 */
import type { EventType } from '../../src/email/event.ts'
import type { Attempted, Decision, Facts, Happening, Outcome } from '../../src/email/lifecycle.ts'
import type { RecipientState } from '../../src/email/recipient.ts'

export const STATES = [
  'waiting',
  'sending',
  'quarantined',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'canceled',
] as const satisfies RecipientState[]

/** What a decision must say; null: none is made. */
export type Cell = {
  change?: Partial<Facts>
  events?: [EventType, string?][]
  suppress?: string
  tried?: true
  left?: Decision['left']
} | null

type Eight = [Cell, Cell, Cell, Cell, Cell, Cell, Cell, Cell]

export interface Row {
  name: string
  happening: Happening
  /** Beside what each recipient of the table has: see `factsIn`. */
  given?: Partial<Facts>
  /** In the order of STATES. */
  cells: Eight
}

export const AT = 1_000_000
export const LATER = AT + 60_000
const HOUR = 3_600_000

export const MX = 'mx.x.test [192.0.2.1]:25'
export const OTHER = 'b.mx.x.test [192.0.2.2]:25'

/** Of a recipient with one attempt behind it. */
export function factsIn(state: RecipientState, given: Partial<Facts> = {}): Facts {
  return {
    state,
    dueAt: state === 'waiting' ? LATER : null,
    attempts: 1,
    uncertain: false,
    preferredServer: state === 'waiting' || state === 'sending' ? MX : null,
    postponedSince: null,
    heldFor: null,
    suspicion: 0,
    cancelRequested: false,
    server: MX,
    lastCode: 451,
    lastMessage: 'Earlier',
    ...given,
  }
}

const no = null
const GONE = { dueAt: null, heldFor: null, cancelRequested: false } as const

function attempt(outcome: Outcome, rest: Partial<Attempted> = {}): Attempted {
  return {
    kind: 'attempted',
    at: AT,
    outcome,
    server: MX,
    tls: null,
    untried: false,
    heldFor: null,
    retryAt: LATER,
    again: LATER,
    patience: HOUR,
    ...rest,
  }
}

/** Only in one state. */
function sending(cell: Cell): Eight {
  return [no, cell, no, no, no, no, no, no]
}
function waiting(cell: Cell): Eight {
  return [cell, no, no, no, no, no, no, no]
}

/** What an attempt that ended it, or that counts, leaves behind. */
const ended = {
  ...GONE,
  attempts: 2,
  uncertain: false,
  preferredServer: null,
  postponedSince: null,
  suspicion: 0,
  server: MX,
} as const
const deferred = {
  state: 'waiting',
  dueAt: LATER,
  heldFor: null,
  attempts: 2,
  uncertain: false,
  preferredServer: MX,
  postponedSince: null,
  suspicion: 0,
  server: MX,
  lastCode: 450,
  lastMessage: 'Later',
} as const
const postponed = { ...deferred, attempts: 1, postponedSince: AT, lastCode: 421 } as const

const released = { state: 'waiting', dueAt: AT, heldFor: null, suspicion: 0 } as const

const LATE = { message: 'No such mailbox', code: 550 }
const event = (type: EventType): Cell => ({ events: [[type]] })

/** A list of names, so that none is forgotten. */
type Named = 'attempted' | Exclude<Happening['kind'], 'attempted'>
export const KINDS: Record<Named, true> = {
  claimed: true,
  damaged: true,
  attempted: true,
  'given-back': true,
  'node-lost': true,
  cancel: true,
  retry: true,
  'hold-released': true,
  quarantine: true,
  suspect: true,
  'quarantine-released': true,
  returned: true,
  complained: true,
  opened: true,
  clicked: true,
  unsubscribed: true,
}
export const VERDICTS: Record<Outcome['verdict'], true> = {
  delivered: true,
  bounced: true,
  failed: true,
  suppressed: true,
  deferred: true,
  uncertain: true,
  postponed: true,
  released: true,
}

export const ATTEMPTS: Row[] = [
  {
    name: 'delivered',
    given: { uncertain: true, postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'delivered', code: 250, message: 'Taken' }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: 250, lastMessage: 'Taken' },
      events: [['delivered', 'Taken']],
      tried: true,
    }),
  },
  {
    name: 'delivered, with an event more',
    happening: attempt({ verdict: 'delivered', message: 'Taken', alsoEvents: ['complained'] }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: null, lastMessage: 'Taken' },
      events: [
        ['delivered', 'Taken'],
        ['complained', 'Taken'],
      ],
      tried: true,
    }),
  },
  {
    name: 'bounced',
    happening: attempt({ verdict: 'bounced', code: 554, message: 'Not this mail' }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 554, lastMessage: 'Not this mail' },
      events: [['bounced', 'Not this mail']],
      tried: true,
    }),
  },
  {
    name: 'bounced, the address is dead',
    happening: attempt({ verdict: 'bounced', code: 550, message: 'Unknown', suppress: true }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 550, lastMessage: 'Unknown' },
      events: [['bounced', 'Unknown']],
      suppress: 'Unknown',
      tried: true,
    }),
  },
  {
    name: 'bounced, the address is dead, without a word',
    happening: attempt({ verdict: 'bounced', code: 550, message: '', suppress: true }),
    cells: sending({
      change: { ...ended, state: 'bounced', lastCode: 550, lastMessage: '' },
      events: [['bounced', '']],
      suppress: 'refused by its server',
      tried: true,
    }),
  },
  {
    name: 'failed',
    happening: attempt({ verdict: 'failed', message: 'Too large' }),
    cells: sending({
      change: { ...ended, state: 'failed', lastCode: null, lastMessage: 'Too large' },
      events: [['failed', 'Too large']],
      tried: true,
    }),
  },
  {
    name: 'suppressed in the simulator',
    happening: attempt({ verdict: 'suppressed', message: 'As if on the list' }),
    cells: sending({
      change: { ...ended, state: 'suppressed', lastCode: null, lastMessage: 'As if on the list' },
      events: [['suppressed', 'As if on the list']],
      tried: true,
    }),
  },
  {
    name: 'deferred',
    given: { postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({ change: deferred, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'deferred by nobody: none was reached',
    happening: attempt({ verdict: 'deferred', message: 'Later' }, { server: null }),
    cells: sending({
      change: { ...deferred, server: null, lastCode: null },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by another server than the attempt ended with',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later', server: OTHER }),
    cells: sending({
      change: { ...deferred, preferredServer: OTHER },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by the server that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({
      change: { ...deferred, uncertain: true },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred by another server than the one that may have it',
    given: { uncertain: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }, { server: OTHER }),
    cells: sending({
      change: { ...deferred, preferredServer: OTHER, server: OTHER },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred, and it is suspect',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later', suspicion: 1 }),
    cells: sending({
      change: { ...deferred, suspicion: 1 },
      events: [['delivery_delayed', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred for the last time',
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }, { retryAt: null }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        lastCode: 450,
        lastMessage: 'Gave up after 2 attempts. The last one: Later',
      },
      events: [['failed', 'Gave up after 2 attempts. The last one: Later']],
      tried: true,
    }),
  },
  {
    name: 'deferred, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'deferred', code: 450, message: 'Later' }),
    cells: sending({
      change: { ...deferred, ...GONE, state: 'canceled' },
      events: [['canceled', 'Later']],
      tried: true,
    }),
  },
  {
    name: 'delivered, though it was to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'delivered', code: 250, message: 'Taken' }),
    cells: sending({
      change: { ...ended, state: 'delivered', lastCode: 250, lastMessage: 'Taken' },
      events: [['delivered', 'Taken']],
      tried: true,
    }),
  },
  {
    name: 'the answer was lost',
    happening: attempt({ verdict: 'uncertain', message: 'Cut off' }),
    cells: sending({
      change: { ...deferred, uncertain: true, lastCode: null, lastMessage: 'Cut off' },
      events: [['delivery_delayed', 'Cut off']],
      tried: true,
    }),
  },
  {
    name: 'the answer of the last attempt was lost',
    happening: attempt({ verdict: 'uncertain', message: 'Cut off' }, { retryAt: null }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        uncertain: true,
        lastCode: null,
        lastMessage: 'Gave up after 2 attempts. The last one: Cut off',
      },
      events: [['failed', 'Gave up after 2 attempts. The last one: Cut off']],
      tried: true,
    }),
  },
  {
    name: 'postponed',
    given: { suspicion: 1 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: postponed, events: [['delivery_delayed', 'Later']], tried: true }),
  },
  {
    name: 'postponed once more: told once',
    given: { postponedSince: AT - 5_000 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: { ...postponed, postponedSince: AT - 5_000 }, tried: true }),
  },
  {
    name: 'postponed, though the operator insisted',
    given: { postponedSince: 0 },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({ change: postponed, tried: true }),
  },
  {
    name: 'postponed for as long as the whole schedule lasts',
    given: { postponedSince: AT - 2 * HOUR, uncertain: true },
    happening: attempt({ verdict: 'postponed', code: 421, message: 'Later' }),
    cells: sending({
      change: {
        ...ended,
        state: 'failed',
        attempts: 1,
        postponedSince: AT - 2 * HOUR,
        lastCode: 421,
        lastMessage: 'Gave up after 2 hours in which it could not be tried: Later',
      },
      events: [['failed', 'Gave up after 2 hours in which it could not be tried: Later']],
      tried: true,
    }),
  },
  {
    name: 'its path is closed',
    given: { uncertain: true, suspicion: 1 },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: {
        state: 'waiting',
        dueAt: LATER,
        heldFor: 'path',
        postponedSince: AT,
        lastMessage: 'Closed',
      },
      events: [['delivery_delayed', 'Closed']],
    }),
  },
  {
    name: 'its path is closed, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: { ...GONE, state: 'canceled', postponedSince: AT, lastMessage: 'Closed' },
      events: [['canceled', 'Closed']],
    }),
  },
  {
    name: 'its path stays closed for as long as the whole schedule lasts',
    given: { postponedSince: AT - 2 * HOUR },
    happening: attempt(
      { verdict: 'postponed', message: 'Closed' },
      { server: null, untried: true, heldFor: 'path' },
    ),
    cells: sending({
      change: {
        ...GONE,
        state: 'failed',
        postponedSince: AT - 2 * HOUR,
        lastMessage: 'Gave up after 2 hours in which it could not be tried: Closed',
      },
      events: [['failed', 'Gave up after 2 hours in which it could not be tried: Closed']],
    }),
  },
  {
    name: 'released',
    given: { uncertain: true, postponedSince: 5, suspicion: 1 },
    happening: attempt({ verdict: 'released', message: 'We stop' }),
    cells: sending({ change: { ...released, suspicion: 1, lastMessage: 'We stop' } }),
  },
  {
    name: 'released without a word',
    happening: attempt({ verdict: 'released', message: '' }),
    cells: sending({ change: released }),
  },
  {
    name: 'released, and it is suspect',
    happening: attempt({ verdict: 'released', message: 'Died', suspicion: 1 }),
    cells: sending({
      change: { ...released, suspicion: 1, lastMessage: 'Died' },
    }),
  },
  {
    name: 'released, and it is more suspect already',
    given: { suspicion: 2 },
    happening: attempt({ verdict: 'released', message: 'Died', suspicion: 1 }),
    cells: sending({ change: { ...released, suspicion: 2, lastMessage: 'Died' } }),
  },
  {
    name: 'released, but it is to be canceled',
    given: { cancelRequested: true },
    happening: attempt({ verdict: 'released', message: 'We stop' }),
    cells: sending({
      change: { ...GONE, state: 'canceled', suspicion: 0, lastMessage: 'We stop' },
      events: [['canceled', 'We stop']],
    }),
  },
]

const NOT_SENT = 'Not sent: the address is on the suppression list (by hand)'
const RELEASED = 'Released from quarantine by the operator'

export const QUEUE: Row[] = [
  {
    name: 'claimed',
    given: { heldFor: 'path' },
    happening: { kind: 'claimed', at: AT, suppressed: null },
    cells: waiting({ change: { state: 'sending', dueAt: null, heldFor: null } }),
  },
  {
    name: 'claimed, but it is suppressed',
    happening: { kind: 'claimed', at: AT, suppressed: 'by hand' },
    cells: waiting({
      change: { ...GONE, state: 'suppressed', lastMessage: NOT_SENT },
      events: [['suppressed', NOT_SENT]],
    }),
  },
  {
    name: 'damaged',
    happening: { kind: 'damaged', at: AT, message: 'Not sent: a part is missing' },
    cells: waiting({
      change: { ...GONE, state: 'failed', lastMessage: 'Not sent: a part is missing' },
      events: [['failed', 'Not sent: a part is missing']],
    }),
  },
  {
    name: 'given back',
    happening: { kind: 'given-back', at: AT, dueAt: AT, heldFor: null, message: '' },
    cells: sending({ change: { state: 'waiting', dueAt: AT, heldFor: null } }),
  },
  {
    name: 'given back as its domain may not send',
    happening: { kind: 'given-back', at: AT, dueAt: LATER, heldFor: 'domain', message: 'Inactive' },
    cells: sending({
      change: { state: 'waiting', dueAt: LATER, heldFor: 'domain', lastMessage: 'Inactive' },
    }),
  },
  {
    name: 'given back, but it is to be canceled',
    given: { cancelRequested: true },
    happening: { kind: 'given-back', at: AT, dueAt: AT, heldFor: null, message: 'Canceled' },
    cells: sending({
      change: { ...GONE, state: 'canceled', lastMessage: 'Canceled' },
      events: [['canceled', 'Canceled']],
    }),
  },
  {
    name: 'its node is lost',
    happening: { kind: 'node-lost', at: AT, dueAt: LATER },
    cells: sending({ change: { state: 'waiting', dueAt: LATER, heldFor: null, suspicion: 1 } }),
  },
  {
    name: 'its node is lost, and it is suspect already',
    given: { suspicion: 2 },
    happening: { kind: 'node-lost', at: AT, dueAt: LATER },
    cells: sending({ change: { state: 'waiting', dueAt: LATER, heldFor: null, suspicion: 2 } }),
  },
  {
    name: 'its node is lost, but it is to be canceled',
    given: { cancelRequested: true },
    happening: { kind: 'node-lost', at: AT, dueAt: LATER },
    cells: sending({ change: { ...GONE, state: 'canceled', suspicion: 1 }, events: [['canceled']] }),
  },
]

export const OPERATOR: Row[] = [
  {
    name: 'cancel',
    happening: { kind: 'cancel', at: AT },
    cells: [
      { change: { ...GONE, state: 'canceled' }, events: [['canceled']] },
      { change: { cancelRequested: true } },
      { change: { ...GONE, state: 'canceled' }, events: [['canceled']] },
      no,
      no,
      no,
      no,
      no,
    ],
  },
  {
    name: 'cancel a second time',
    given: { cancelRequested: true },
    happening: { kind: 'cancel', at: AT },
    cells: [
      { change: { ...GONE, state: 'canceled' }, events: [['canceled']] },
      no,
      { change: { ...GONE, state: 'canceled' }, events: [['canceled']] },
      no,
      no,
      no,
      no,
      no,
    ],
  },
  {
    name: 'retry',
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: false },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'retry what is due',
    given: { dueAt: AT },
    happening: { kind: 'retry', at: AT, named: true, paused: false, scheduled: false },
    cells: waiting(no),
  },
  {
    name: 'retry what is held for a closed path',
    given: { heldFor: 'path', postponedSince: 5 },
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: false },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'retry what is held for its domain',
    given: { heldFor: 'domain' },
    happening: { kind: 'retry', at: AT, named: true, paused: false, scheduled: true },
    cells: waiting({ left: 'held' }),
  },
  {
    name: 'retry what is paused',
    given: { heldFor: 'domain' },
    happening: { kind: 'retry', at: AT, named: true, paused: true, scheduled: true },
    cells: waiting({ left: 'paused' }),
  },
  {
    name: 'retry what is scheduled',
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: true },
    cells: waiting({ left: 'scheduled' }),
  },
  {
    name: 'retry what is scheduled, by name',
    happening: { kind: 'retry', at: AT, named: true, paused: false, scheduled: true },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'hold released',
    given: { heldFor: 'domain' },
    happening: { kind: 'hold-released', at: AT },
    cells: waiting({ change: { dueAt: AT, heldFor: null } }),
  },
  {
    name: 'hold released that was none',
    happening: { kind: 'hold-released', at: AT },
    cells: waiting(no),
  },
  {
    name: 'quarantine',
    happening: { kind: 'quarantine', at: AT, message: 'It took a process down' },
    cells: [
      quarantined('It took a process down'),
      quarantined('It took a process down'),
      no,
      no,
      no,
      no,
      no,
      no,
    ],
  },
  {
    name: 'quarantine what is to be canceled',
    given: { cancelRequested: true },
    happening: { kind: 'quarantine', at: AT, message: 'It took a process down' },
    cells: [instead('It took a process down'), instead('It took a process down'), no, no, no, no, no, no],
  },
  {
    name: 'suspect',
    happening: { kind: 'suspect', suspicion: 1 },
    cells: [{ change: { suspicion: 1 } }, { change: { suspicion: 1 } }, no, no, no, no, no, no],
  },
  {
    name: 'suspect what is suspect already',
    given: { suspicion: 2 },
    happening: { kind: 'suspect', suspicion: 1 },
    cells: [no, no, no, no, no, no, no, no],
  },
  {
    name: 'released from quarantine',
    given: { suspicion: 2 },
    happening: { kind: 'quarantine-released', at: AT },
    cells: [
      no,
      no,
      {
        change: { state: 'waiting', dueAt: AT, suspicion: 1, lastMessage: RELEASED },
        events: [['queued', RELEASED]],
      },
      no,
      no,
      no,
      no,
      no,
    ],
  },
]

function quarantined(message: string): Cell {
  return {
    change: { state: 'quarantined', dueAt: null, heldFor: null, suspicion: 2, lastMessage: message },
    events: [['delivery_delayed', message]],
  }
}

function instead(message: string): Cell {
  return {
    change: { ...GONE, state: 'canceled', suspicion: 2, lastMessage: message },
    events: [['canceled', message]],
  }
}

const bounced: Cell = {
  change: { ...GONE, state: 'bounced', lastMessage: LATE.message },
  events: [['bounced', LATE.message]],
}
const noted: Cell = { events: [['bounced', LATE.message]] }
const proved = (type: EventType): Cell => ({ change: { ...GONE, state: 'delivered' }, events: [[type]] })
const refused = (type: EventType, suppress: string): Cell => ({ events: [[type]], suppress })

export const REPORTS: Row[] = [
  {
    name: 'returned as bounced',
    happening: { kind: 'returned', at: AT, report: 'bounced', detail: LATE, deadAddress: false },
    cells: [bounced, noted, noted, bounced, no, bounced, noted, noted],
  },
  {
    name: 'returned as bounced, the address is dead',
    happening: { kind: 'returned', at: AT, report: 'bounced', detail: LATE, deadAddress: true },
    cells: [
      { ...bounced, suppress: LATE.message },
      { ...noted, suppress: LATE.message },
      { ...noted, suppress: LATE.message },
      { ...bounced, suppress: LATE.message },
      no,
      { ...bounced, suppress: LATE.message },
      { ...noted, suppress: LATE.message },
      { ...noted, suppress: LATE.message },
    ],
  },
  {
    name: 'returned as delayed',
    happening: { kind: 'returned', at: AT, report: 'delayed', detail: {}, deadAddress: false },
    cells: [
      event('delivery_delayed'),
      event('delivery_delayed'),
      event('delivery_delayed'),
      event('delivery_delayed'),
      no,
      no,
      no,
      no,
    ],
  },
  {
    name: 'returned as delivered',
    happening: { kind: 'returned', at: AT, report: 'delivered', detail: {}, deadAddress: false },
    cells: [
      event('delivered'),
      event('delivered'),
      event('delivered'),
      event('delivered'),
      event('delivered'),
      proved('delivered'),
      no,
      event('delivered'),
    ],
  },
  {
    name: 'returned as delivered, which was in doubt',
    given: { uncertain: true },
    happening: { kind: 'returned', at: AT, report: 'delivered', detail: {}, deadAddress: false },
    cells: [
      proved('delivered'),
      event('delivered'),
      event('delivered'),
      event('delivered'),
      event('delivered'),
      proved('delivered'),
      no,
      event('delivered'),
    ],
  },
  ...(['opened', 'clicked'] as const).flatMap((kind): Row[] => [
    {
      name: kind,
      happening: { kind, at: AT, detail: {} },
      cells: [event(kind), event(kind), event(kind), event(kind), event(kind), event(kind), no, event(kind)],
    },
    {
      name: `${kind}, while it was in doubt whether it had arrived`,
      given: { uncertain: true },
      happening: { kind, at: AT, detail: {} },
      cells: [proved(kind), event(kind), event(kind), event(kind), event(kind), event(kind), no, event(kind)],
    },
  ]),
  {
    name: 'complained',
    happening: { kind: 'complained', at: AT, detail: {} },
    cells: all(refused('complained', 'the recipient complained')),
  },
  {
    name: 'unsubscribed',
    happening: { kind: 'unsubscribed', at: AT, detail: {} },
    cells: all(refused('unsubscribed', 'the recipient unsubscribed')),
  },
]

function all(cell: Cell): Eight {
  return [cell, cell, cell, cell, cell, cell, cell, cell]
}

export const TABLE: readonly Row[] = [...ATTEMPTS, ...QUEUE, ...OPERATOR, ...REPORTS]
