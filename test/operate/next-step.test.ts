import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BY_HAND } from '../../src/email/lifecycle.ts'
import type { ClosedSite } from '../../src/operate/closures.ts'
import { type Circumstances, nextStepOf } from '../../src/operate/next-step.ts'
import type { WaitReason } from '../../src/operate/status-sentence.ts'

const NOW = 1_000_000
/** Three attempts, and 110 ms from the first to the last. */
const RETRY_WAITS = [10, 100]
const USUAL: Circumstances = {
  scheduledAt: null,
  giveUpAt: null,
  maySend: true,
  pause: () => null,
  closed: () => null,
  retryWaits: RETRY_WAITS,
  now: NOW,
}
const WAITING = {
  address: 'a@x.test',
  state: 'waiting',
  attempts: 0,
  dueAt: NOW,
  postponedSince: null,
  heldFor: null,
} as const

function pause(until: number | null) {
  return { until, reason: null }
}

function closedUntil(nextTryAt: number): ClosedSite {
  return {
    ...{ name: 'Yahoo', since: 0, kind: 'busy', reason: '421 no', brief: '', nextTryAt, list: null },
    ...{ metBy: null, companyId: null, company: null, sendingDomain: null, recipientDomain: null },
  }
}

function closedIfDue(_to: string, isHeld: boolean): ClosedSite | null {
  return isHeld ? null : closedUntil(NOW + 4)
}

const ROWS: [
  what: string,
  recipient: Partial<Parameters<typeof nextStepOf>[0]>,
  circumstances: Partial<Circumstances>,
  waits: WaitReason | null,
  at: number | null,
  givesUpAt?: number,
][] = [
  ['due', {}, {}, 'turn', NOW],
  ['deferred', { attempts: 1, dueAt: NOW + 5 }, {}, 'retry', NOW + 5, NOW + 105],
  [
    'deferred, with an end by its sender',
    { attempts: 1, dueAt: NOW + 5 },
    { giveUpAt: NOW + 50 },
    'retry',
    NOW + 5,
    NOW + 50,
  ],
  ['due, with an end by its sender', {}, { giveUpAt: NOW + 50 }, 'turn', NOW, NOW + 50],
  ['deferred before its last attempt', { attempts: 2, dueAt: NOW + 5 }, {}, 'retry', NOW + 5, NOW + 5],
  [
    'refused without an attempt',
    { postponedSince: NOW - 30, dueAt: NOW + 5 },
    {},
    'refusal',
    NOW + 5,
    NOW + 80,
  ],
  ['refused without an attempt, and due', { postponedSince: NOW - 30, dueAt: NOW }, {}, 'turn', NOW],
  [
    'refused without an attempt after a deferral',
    { attempts: 1, postponedSince: NOW - 30, dueAt: NOW + 5 },
    {},
    'refusal',
    NOW + 5,
    NOW + 80,
  ],
  ['made due by hand', { postponedSince: BY_HAND.operator, dueAt: NOW }, {}, 'turn', NOW],
  ['deferred, and due again', { attempts: 2, dueAt: NOW }, {}, 'turn', NOW],
  ['scheduled', { dueAt: NOW + 9 }, { scheduledAt: NOW + 9 }, 'schedule', NOW + 9],
  [
    'scheduled once, deferred since',
    { attempts: 1, dueAt: NOW + 9 },
    { scheduledAt: NOW - 9 },
    'retry',
    NOW + 9,
    NOW + 109,
  ],
  ['paused', {}, { pause: (domain) => (domain === 'x.test' ? pause(null) : null) }, 'pause', null],
  ['paused for a time', {}, { pause: () => pause(NOW + 70) }, 'pause', NOW + 70],
  ['paused for others', {}, { pause: (domain) => (domain === 'y.test' ? pause(null) : null) }, 'turn', NOW],
  ['of a domain that may not send', {}, { maySend: false }, 'domain', null],
  ['held for its domain', { heldFor: 'domain', dueAt: NOW + 9 }, {}, 'domain', null],
  [
    'held for its path',
    { heldFor: 'path', postponedSince: NOW - 30, dueAt: NOW + 9 },
    {},
    'path',
    NOW + 9,
    NOW + 80,
  ],
  [
    'held for its path, whose next try the nodes report,',
    { heldFor: 'path', postponedSince: NOW - 30, dueAt: NOW + 9 },
    { closed: (domain) => (domain === 'x.test' ? closedUntil(NOW + 4) : null) },
    'path',
    NOW + 4,
    NOW + 80,
  ],
  [
    'held for its path, whose next try is due,',
    { heldFor: 'path', postponedSince: NOW - 30, dueAt: NOW + 9 },
    { closed: () => closedUntil(NOW - 1) },
    'path',
    null,
    NOW + 80,
  ],
  ['due, at a closed site,', {}, { closed: closedIfDue }, 'path', NOW + 4, NOW + 114],
  [
    'deferred, and due at a closed site,',
    { attempts: 1, dueAt: NOW - 5 },
    { closed: closedIfDue },
    'path',
    NOW + 4,
    NOW + 114,
  ],
  [
    'deferred for a site that is closed meanwhile',
    { attempts: 1, dueAt: NOW + 5 },
    { closed: closedIfDue },
    'retry',
    NOW + 5,
    NOW + 105,
  ],
  ['being sent', { state: 'sending', dueAt: null }, {}, 'answer', null],
  [
    'in the memory of a node, at a closed site,',
    { state: 'sending', dueAt: null },
    { closed: closedIfDue },
    'path',
    NOW + 4,
    NOW + 114,
  ],
  [
    'being sent to a closed site as its try',
    { state: 'sending', dueAt: null },
    { closed: () => closedUntil(NOW) },
    'answer',
    null,
  ],
  ['quarantined', { state: 'quarantined', dueAt: null }, {}, 'release', null],
  ['delivered', { state: 'delivered', dueAt: null }, { maySend: false }, null, null],
]

for (const [what, recipient, circumstances, waits, at, givesUpAt = null] of ROWS) {
  test(`a recipient ${what} waits for ${waits ?? 'nothing'}`, () => {
    const step = nextStepOf({ ...WAITING, ...recipient }, { ...USUAL, ...circumstances })
    const { closed: _, pauseReason: __, ...times } = step
    assert.deepEqual(times, { waits, at, givesUpAt })
  })
}
