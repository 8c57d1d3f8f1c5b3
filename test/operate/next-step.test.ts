import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Circumstances, nextStepOf, type WaitReason } from '../../src/operate/next-step.ts'

const NOW = 1_000_000
const USUAL: Circumstances = { scheduledAt: null, maySend: true, paused: () => false, now: NOW }
const WAITING = { address: 'a@x.test', state: 'waiting', attempts: 0, dueAt: NOW, heldFor: null } as const

const ROWS: [
  what: string,
  recipient: Partial<Parameters<typeof nextStepOf>[0]>,
  circumstances: Partial<Circumstances>,
  waits: WaitReason | null,
  at: number | null,
][] = [
  ['due', {}, {}, 'turn', NOW],
  ['deferred', { attempts: 2, dueAt: NOW + 5 }, {}, 'retry', NOW + 5],
  ['deferred, and due again', { attempts: 2, dueAt: NOW }, {}, 'turn', NOW],
  ['scheduled', { dueAt: NOW + 9 }, { scheduledAt: NOW + 9 }, 'schedule', NOW + 9],
  [
    'scheduled once, deferred since',
    { attempts: 1, dueAt: NOW + 9 },
    { scheduledAt: NOW - 9 },
    'retry',
    NOW + 9,
  ],
  ['paused', {}, { paused: (domain) => domain === 'x.test' }, 'pause', null],
  ['paused for others', {}, { paused: (domain) => domain === 'y.test' }, 'turn', NOW],
  ['of a domain that may not send', {}, { maySend: false }, 'domain', null],
  ['held for its domain', { heldFor: 'domain', dueAt: NOW + 9 }, {}, 'domain', null],
  ['held for its path', { heldFor: 'path', dueAt: NOW + 9 }, {}, 'path', NOW + 9],
  ['being sent', { state: 'sending', dueAt: null }, {}, 'answer', null],
  ['quarantined', { state: 'quarantined', dueAt: null }, {}, 'release', null],
  ['delivered', { state: 'delivered', dueAt: null }, { maySend: false }, null, null],
]

for (const [what, recipient, circumstances, waits, at] of ROWS) {
  test(`what is ${what} waits for ${waits ?? 'nothing'}`, () => {
    assert.deepEqual(nextStepOf({ ...WAITING, ...recipient }, { ...USUAL, ...circumstances }), { waits, at })
  })
}
