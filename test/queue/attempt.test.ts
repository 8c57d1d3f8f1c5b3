import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, RecipientOutcome } from '../../src/delivery/delivery.ts'
import { ProbePauses } from '../../src/delivery/route/probe-pauses.ts'
import { untriedOf } from '../../src/email/codec.ts'
import { BY_HAND } from '../../src/email/lifecycle.ts'
import { attemptRecord, giveBackRecord } from '../../src/queue/attempt.ts'
import { RetrySchedule } from '../../src/queue/retry-schedule.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { to } from '../store/samples.ts'
import { pathTo, readyFor } from './paths.ts'

const FIRST = 'a.mx.x.test [192.0.2.1]:25'
const SECOND = 'b.mx.x.test [192.0.2.2]:25'

/** What is recorded for the one recipient after an attempt that ended like this. */
function recorded(
  before: Partial<ClaimedRecipient>,
  server: string | null,
  outcome: Partial<RecipientOutcome>,
) {
  const [recipient] = recordedOf([before], server, outcome, new RetrySchedule([1_000, 1_000, 1_000]))
  const { uncertain, preferredServer } = recipient!.decision.change!
  return { uncertain, preferredServer }
}

/** The same for several recipients with the same result. */
function recordedOf(
  before: Partial<ClaimedRecipient>[],
  server: string | null,
  outcome: Partial<RecipientOutcome>,
  schedule: RetrySchedule,
  rest: Partial<DeliveryResult> = {},
  giveUpAt: number | null = null,
) {
  const claimed = before.map(
    (each, position): ClaimedRecipient => ({
      ...untriedOf(to('to@x.test'), position),
      attempts: 1,
      ...each,
    }),
  )
  const email = {
    id: 'e',
    companyId: 'c',
    domainId: 'd',
    keyId: 'k',
    sender: 'from@y.test',
    returnPathHost: null,
    createdAt: 0,
    scheduledAt: null,
    content: {
      from: 'from@y.test',
      to: ['to@x.test'],
      cc: [],
      replyTo: [],
      subject: '',
      text: '',
      headers: [],
      attachments: [],
      messageId: '<e@y.test>',
      date: 0,
    },
    raw: null,
    individual: false,
    testMode: false,
    tls: null,
    tlsByMessage: false,
    giveUpAt,
    source: null,
    size: 1,
    recipients: claimed,
  }
  const ready = readyFor('c', pathTo('x.test'), { email, recipients: claimed })
  const result = {
    outcomes: claimed.map(({ position }) => ({
      position,
      verdict: 'deferred' as const,
      message: 'not now',
      ...outcome,
    })),
    server,
    dialogue: '',
    startedAt: 0,
    duration: 1,
    tls: null,
    ...rest,
  }
  const patience = { schedule, pauses: new ProbePauses(schedule.waits), again: null, fullMailbox: null }
  return attemptRecord(ready, result, patience, 0).recipients
}

test('after a lost answer the outcome stays in doubt, and only that server is asked, until it gives an answer', () => {
  assert.deepEqual(recorded({}, FIRST, { verdict: 'uncertain' }), { uncertain: true, preferredServer: FIRST })
  const doubtful = { uncertain: true, preferredServer: FIRST }
  // It could not be reached, or deferred.
  assert.deepEqual(recorded(doubtful, FIRST, {}), doubtful)
  assert.deepEqual(recorded(doubtful, FIRST, { code: 451 }), doubtful)
  // No server was tried: the names could not be looked up.
  assert.deepEqual(recorded(doubtful, null, {}), doubtful)
  // It serves the domain no longer, so that others were asked.
  assert.deepEqual(recorded(doubtful, SECOND, {}), { uncertain: false, preferredServer: SECOND })
  assert.equal(recorded(doubtful, FIRST, { verdict: 'delivered' }).uncertain, false)
})

test('an attempt that reached no server does not change the server to ask first', () => {
  assert.deepEqual(recorded({ preferredServer: FIRST }, null, {}), {
    uncertain: false,
    preferredServer: FIRST,
  })
})

test('recipients that were deferred together come back together', () => {
  const hundred = Array.from({ length: 100 }, () => ({ attempts: 0 }))
  const recipients = recordedOf(hundred, FIRST, { code: 450 }, new RetrySchedule([120_000]))
  assert.equal(recipients.length, 100)
  assert.equal(new Set(recipients.map(({ decision }) => decision.change!.dueAt)).size, 1)
})

test('a recipient whose worker died uses no attempt and is suspect, unless it was delivered', () => {
  const of = (verdict: RecipientOutcome['verdict']) => {
    const [recipient] = recordedOf([{}], FIRST, { verdict }, new RetrySchedule([1_000, 1_000, 1_000]), {
      died: 'crash',
    })
    const { change, tried } = recipient!.decision
    return [change!.state, change!.suspicion, tried]
  }
  assert.deepEqual(of('deferred'), ['waiting', 1, false])
  assert.deepEqual(of('delivered'), ['delivered', 0, true])
})

test('a recipient whose servers were not asked is given back untried', () => {
  const schedule = new RetrySchedule([1_000, 1_000, 1_000])
  const outcome = { verdict: 'postponed', message: 'Not yet' } as const
  const [recipient] = recordedOf([{}], null, outcome, schedule, { notBefore: 700 })
  const { change, tried, events } = recipient!.decision
  assert.deepEqual([change!.state, change!.dueAt, change!.heldFor, tried], ['waiting', 700, null, false])
  assert.deepEqual(
    events.map(({ type }) => type),
    ['delivery_delayed'],
  )
})

test('a try without a way out is kept once, and ends with the retry schedule', () => {
  const schedule = new RetrySchedule([1, 1, 1])
  const outcome = { verdict: 'postponed', message: 'no way out over IPv6' } as const
  const after = (postponedSince: number | null) => {
    const [recipient] = recordedOf([{ postponedSince }], null, outcome, schedule, { noWayOut: true })
    const { change, tried, events } = recipient!.decision
    return [change!.state, tried, ...events.map(({ type }) => type)]
  }
  assert.deepEqual(after(null), ['waiting', true, 'delivery_delayed'])
  assert.deepEqual(after(BY_HAND.operator), ['waiting', true, 'delivery_delayed'], 'a person asked for it')
  assert.deepEqual(after(1 - schedule.lasts), ['waiting', false])
  assert.deepEqual(after(-schedule.lasts), ['failed', false, 'failed'])
})

test('mail on a closed path is given up only when the path was found closed at the end of its time', () => {
  const schedule = new RetrySchedule([1, 1, 1])
  const ready = readyFor('c', pathTo('x.test'), {
    recipients: [{ position: 0, attempts: 0, postponedSince: 3_007, suspicion: 0 } as ClaimedRecipient],
  })
  const stateAfter = (metAt: number) => {
    const reason = { dueAt: 9_000, heldFor: 'path', message: 'no', postpones: true, metAt } as const
    const { recipients } = giveBackRecord(ready, reason, schedule, 8_000)
    return recipients[0]!.decision.change!.state
  }
  assert.equal(stateAfter(1_000), 'waiting', 'the service has not asked a server since')
  assert.equal(stateAfter(3_010), 'failed')
})

test('mail that would come back to a closed path after its time is looked at once that is over, but not at once again', () => {
  const schedule = new RetrySchedule([1_000, 1_000, 1_000], () => 0)
  const dueFor = (postponedSince: number | null, endsFrom: number) => {
    const recipient = { position: 0, attempts: 0, postponedSince, suspicion: 0 } as ClaimedRecipient
    const ready = readyFor('c', pathTo('x.test'), { recipients: [recipient] })
    ready.email.giveUpAt = null
    const reason = { dueAt: 90_000, heldFor: 'path', message: 'no', postpones: true, metAt: 0 } as const
    const { recipients } = giveBackRecord(ready, { ...reason, endsFrom }, schedule, 10_000)
    return recipients[0]!.decision.change!.dueAt
  }
  assert.equal(dueFor(null, 11_000), 13_000)
  assert.equal(dueFor(9_000, 11_000), 12_000)
  assert.equal(dueFor(1_000, 11_000), 11_000)
  assert.equal(dueFor(1_000, 95_000), 90_000)
})

test('no attempt begins after the time at which the sender gives up', () => {
  const schedule = new RetrySchedule([1_000, 1_000, 1_000], () => 0)
  const after = (
    outcome: Partial<RecipientOutcome>,
    giveUpAt: number,
    rest: Partial<DeliveryResult> = {},
  ) => {
    const [recipient] = recordedOf([{}], FIRST, outcome, schedule, rest, giveUpAt)
    const { state, dueAt } = recipient!.decision.change!
    return [state, dueAt]
  }
  assert.deepEqual(after({}, 1_001), ['waiting', 1_000])
  assert.deepEqual(after({}, 1_000), ['failed', null])
  // Looked at once more then, to end it.
  assert.deepEqual(after({ verdict: 'postponed' }, 500, { notBefore: 700 }), ['waiting', 500])
})
