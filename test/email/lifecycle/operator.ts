import { AT, type Cell, GONE, no, type Row, waiting } from './cells.ts'

const RELEASED = 'Released from quarantine by the operator'

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
    name: 'reschedule',
    happening: { kind: 'reschedule', at: AT, dueAt: AT + 5 },
    cells: waiting({ change: { dueAt: AT + 5, heldFor: null } }),
  },
  {
    name: 'retry',
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: false },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'retry by a member',
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: false, byMember: true },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 1 } }),
  },
  {
    name: 'retry what is due, ahead of its lane, where nothing is before it',
    given: { dueAt: AT },
    happening: {
      ...{ kind: 'retry', at: AT, named: true, paused: false, scheduled: false },
      ahead: { firstDueAt: AT },
    },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'retry what is held for a closed path',
    given: { heldFor: 'path', postponedSince: 5 },
    happening: { kind: 'retry', at: AT, named: false, paused: false, scheduled: false },
    cells: waiting({ change: { dueAt: AT, heldFor: null, postponedSince: 0 } }),
  },
  {
    name: 'retry what is held for the pause of its site',
    given: { heldFor: 'pause' },
    happening: { kind: 'retry', at: AT, named: true, paused: false, scheduled: false },
    cells: waiting({ left: 'paused' }),
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
    name: 'suspect of the worst',
    given: { suspicion: 1 },
    happening: { kind: 'suspect', suspicion: 2 },
    cells: [{ change: { suspicion: 2 } }, { change: { suspicion: 2 } }, no, no, no, no, no, no],
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
