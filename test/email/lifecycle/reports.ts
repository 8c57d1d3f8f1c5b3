import type { EventType } from '../../../src/email/event.ts'
import type { ReportHappening } from '../../../src/email/lifecycle.ts'
import { AT, type Cell, type Eight, GONE, MAILBOX_RULE, no, type Row } from './cells.ts'

const LATE = { message: 'No such mailbox', code: 550 }
const event = (type: EventType): Cell => ({ events: [[type]] })

const bounced: Cell = {
  change: { ...GONE, state: 'bounced', lastCode: LATE.code, lastMessage: LATE.message },
  events: [['bounced', LATE.message]],
}
const noted: Cell = { events: [['bounced', LATE.message]] }
const proved = (type: EventType): Cell => ({ change: { ...GONE, state: 'delivered' }, events: [[type]] })
const refused = (type: EventType, suppress: string): Cell => ({ events: [[type]], suppress })

type Returned = Extract<ReportHappening, { kind: 'returned' }>

function returned(report: Returned['report'], more: Partial<Returned> = {}): Returned {
  return {
    kind: 'returned',
    at: AT,
    report,
    detail: {},
    deadAddress: false,
    fullMailbox: MAILBOX_RULE,
    ...more,
  }
}

export const REPORTS: Row[] = [
  {
    name: 'returned as bounced',
    happening: returned('bounced', { detail: LATE, deadAddress: false }),
    cells: [bounced, noted, noted, bounced, no, bounced, noted, noted],
  },
  {
    name: 'returned as bounced, the address is dead',
    happening: returned('bounced', { detail: LATE, deadAddress: true }),
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
    happening: returned('delayed'),
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
    happening: returned('delivered'),
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
    happening: returned('delivered'),
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
