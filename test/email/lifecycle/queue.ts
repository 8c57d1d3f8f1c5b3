import { AT, GONE, LATER, type Row, sending, waiting } from './cells.ts'

const NOT_SENT = 'Not sent: the address is on the suppression list (by hand)'

export const QUEUE: Row[] = [
  {
    name: 'claimed',
    given: { heldFor: 'path' },
    happening: { kind: 'claimed', at: AT, suppressed: null },
    cells: waiting({ change: { state: 'sending', dueAt: null, heldFor: null } }),
  },
  {
    name: 'claimed, but it is suppressed',
    happening: { kind: 'claimed', at: AT, suppressed: { type: 'manual', reason: 'by hand' } },
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
