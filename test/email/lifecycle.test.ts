import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { AttemptTls } from '../../src/email/attempt-tls.ts'
import type { NewEvent } from '../../src/email/event.ts'
import { firstEvent, initialState, suppressedAtStart } from '../../src/email/lifecycle/initial-state.ts'
import { type Decision, decide, type Outcome } from '../../src/email/lifecycle.ts'
import {
  AT,
  type Cell,
  factsIn,
  KINDS,
  LATER,
  MAILBOX_RULE,
  MX,
  STATES,
  TABLE,
  VERDICTS,
} from './lifecycle/table.ts'

for (const { name, happening, given, cells } of TABLE) {
  test(`${happening.kind}: ${name}`, () => {
    assert.equal(cells.length, STATES.length, 'a cell for each state')
    for (const [index, state] of STATES.entries()) {
      const before = factsIn(state, given)
      const kept = structuredClone(before)
      assert.deepEqual(said(decide(before, happening)), expected(cells[index]!), state)
      assert.deepEqual(before, kept, 'facts are read only')
    }
  })
}

function said(decision: Decision | null): unknown {
  if (decision === null) return null
  const { change, events, suppress, tried, left } = decision
  for (const { at } of events) assert.equal(at, AT)
  return {
    change,
    events: events.map(({ type, detail }) => [type, detail.message]),
    suppress: suppress?.reason,
    tried,
    left,
  }
}

function expected(cell: Cell): unknown {
  if (cell === null) return null
  const { change = null, events = [], suppress, tried = false, left } = cell
  return { change, events: events.map(([type, message]) => [type, message]), suppress, tried, left }
}

test('the table has every happening, and every outcome of an attempt', () => {
  const kinds = new Set(TABLE.map(({ happening }) => happening.kind))
  assert.deepEqual([...kinds].sort(), Object.keys(KINDS).sort())
  const outcomes = TABLE.flatMap(({ happening }) => {
    return happening.kind === 'attempted' ? [happening.outcome.verdict] : []
  })
  assert.deepEqual([...new Set(outcomes)].sort(), Object.keys(VERDICTS).sort())
  assert.equal(new Set(TABLE.map(({ name }) => name)).size, TABLE.length, 'each row has a name of its own')
})

test('the facts about attempts change together, and only after an attempt, but for the code of a late bounce', () => {
  const told = ['attempts', 'uncertain', 'preferredServer', 'server', 'lastCode']
  for (const { name, happening, given } of TABLE) {
    for (const state of STATES) {
      const decision = decide(factsIn(state, given), happening)
      const changed = Object.keys(decision?.change ?? {}).filter((fact) => told.includes(fact))
      const isLate = happening.kind === 'returned' && decision?.change?.state === 'bounced'
      const expected = decision?.tried ? told.toSorted() : isLate ? ['lastCode'] : []
      assert.deepEqual(changed.sort(), expected, `${name}, ${state}`)
    }
  }
})

test('a final state never returns to the queue, and a recipient outside the queue has no due time and no hold', () => {
  const live = ['waiting', 'sending', 'quarantined']
  for (const { name, happening, given } of TABLE) {
    for (const state of STATES) {
      const change = decide(factsIn(state, given), happening)?.change ?? {}
      const after = { ...factsIn(state, given), ...change }
      if (!live.includes(state)) assert.ok(!live.includes(after.state), `${name}, ${state}`)
      if (after.state !== 'waiting' && change.state !== undefined) {
        assert.deepEqual([after.dueAt, after.heldFor], [null, null], `${name}, ${state}`)
      }
      if (after.state === 'waiting') assert.equal(typeof after.dueAt, 'number', `${name}, ${state}`)
    }
  }
})

const TLS: AttemptTls = {
  version: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  demand: 'verified',
  source: 'mta-sts',
  verified: true,
  doubt: null,
}

test('the event of an attempt contains the reply, the server and the time of the next attempt', () => {
  const attempted = {
    kind: 'attempted',
    at: AT,
    outcome: {
      verdict: 'deferred',
      code: 451,
      enhancedCode: '4.7.1',
      message: 'Greylisted',
      category: 'greylisted',
    },
    server: MX,
    tls: TLS,
    untried: false,
    heldFor: null,
    retryAt: LATER,
    again: 0,
    patience: 0,
    fullMailbox: MAILBOX_RULE,
  } as const
  const detail = (given: Partial<typeof attempted> | object): NewEvent['detail'] | undefined => {
    return decide(factsIn('sending'), { ...attempted, ...given })?.events[0]?.detail
  }
  const answer = {
    message: 'Greylisted',
    code: 451,
    enhancedCode: '4.7.1',
    server: MX,
    tls: 'TLSv1.3',
    tlsVerified: true,
  }
  const reason = { category: 'greylisted', permanent: false }
  assert.deepEqual(detail({}), { ...answer, ...reason, attempt: 2, nextAttemptAt: LATER })
  const delivered = { ...attempted.outcome, verdict: 'delivered' }
  assert.deepEqual(detail({ outcome: delivered }), { ...answer, attempt: 2 })
  const postponed = { verdict: 'postponed', message: 'Nobody reached' }
  const nobody = { outcome: postponed, server: null, tls: null, again: 7, patience: 10 }
  assert.deepEqual(detail(nobody), {
    message: 'Nobody reached',
    nextAttemptAt: 7,
    category: 'other',
    permanent: false,
  })
})

test('every event of a refusal, a delay or an end has a category, and no other event has one', () => {
  const negative = ['bounced', 'failed', 'delivery_delayed']
  for (const { name, happening, given } of TABLE) {
    for (const state of STATES) {
      for (const { type, detail } of decide(factsIn(state, given), happening)?.events ?? []) {
        assert.equal(detail.category !== undefined, negative.includes(type), `${name}, ${state}`)
        assert.equal(typeof detail.permanent, negative.includes(type) ? 'boolean' : 'undefined')
        if (type === 'delivery_delayed') assert.equal(detail.permanent, false, `${name}, ${state}`)
      }
    }
  }
})

test('a full mailbox leads to a suppression that must be repeated, and only with the last refusal', () => {
  const base = {
    kind: 'attempted',
    at: AT,
    server: MX,
    tls: null,
    untried: false,
    heldFor: null,
    again: 0,
    fullMailbox: MAILBOX_RULE,
  } as const
  const full = { code: 452, message: 'Full', category: 'mailbox_full' } as const
  const attempted = (verdict: 'deferred' | 'bounced', retryAt: number | null, more: object = {}) =>
    decide(factsIn('sending'), { ...base, outcome: { ...full, verdict }, retryAt, patience: 0, ...more })!
      .suppress
  assert.equal(attempted('deferred', LATER), null)
  const rule = { refusals: 5, withinMs: 30 * 86_400_000 }
  const reason = 'the mailbox was full 5 times within 30 days: Full'
  const cause = { type: 'bounce', reason, code: 452, repeated: rule }
  assert.deepEqual(attempted('bounced', null, { fullMailbox: rule }), cause)
  const gaveUp = attempted('deferred', null, { fullMailbox: rule })
  assert.deepEqual(gaveUp?.repeated, rule)
  assert.match(gaveUp.reason, /5 times within 30 days: Gave up after 2 attempts\. Last error: Full$/)
  assert.equal(attempted('bounced', null, { fullMailbox: null }), null)
  const detail = { message: '552 5.2.2 over quota', code: 552, enhancedCode: '5.2.2' }
  const bounce = { kind: 'returned', at: AT, report: 'bounced', detail, deadAddress: false } as const
  const report = { ...bounce, fullMailbox: MAILBOX_RULE }
  assert.deepEqual(decide(factsIn('delivered'), report)!.suppress?.repeated, MAILBOX_RULE)
  const dead = decide(factsIn('delivered'), { ...report, deadAddress: true })!.suppress
  assert.deepEqual(dead, { type: 'bounce', reason: detail.message, code: 552 })
})

test('an attempt that was the last keeps the reason of its answer; without a reason the time is over', () => {
  const last = (outcome: Outcome) => {
    const attempted = { kind: 'attempted', at: AT, outcome, server: MX, tls: null, untried: false } as const
    const happening = {
      ...attempted,
      heldFor: null,
      retryAt: null,
      again: 0,
      patience: 0,
      fullMailbox: MAILBOX_RULE,
    }
    return decide(factsIn('sending'), happening)?.events[0]?.detail.category
  }
  assert.equal(last({ verdict: 'deferred', message: 'Full', category: 'mailbox_full' }), 'mailbox_full')
  assert.equal(last({ verdict: 'deferred', message: 'Later', category: 'greylisted' }), 'expired')
  assert.equal(last({ verdict: 'deferred', message: 'Later' }), 'expired')
  assert.equal(last({ verdict: 'uncertain', message: 'Lost' }), 'network')
  assert.equal(last({ verdict: 'failed', message: 'Too large after all' }), 'other')
})

test('a returned report gives its reason by its code or by its words', () => {
  const returned = (report: 'bounced' | 'delayed', detail: NewEvent['detail']) => {
    const happening = {
      kind: 'returned',
      at: AT,
      report,
      detail,
      deadAddress: false,
      fullMailbox: MAILBOX_RULE,
    } as const
    const { category, permanent } = decide(factsIn('delivered'), happening)!.events[0]!.detail
    return [category, permanent]
  }
  const gone = { code: 550, enhancedCode: '5.1.1', message: 'User unknown' }
  assert.deepEqual(returned('bounced', gone), ['address_unknown', true])
  assert.deepEqual(returned('delayed', gone), ['address_unknown', false])
  assert.deepEqual(returned('bounced', { ...gone, category: 'mailbox_full', permanent: false }), [
    'mailbox_full',
    false,
  ])
})

test('an email begins as sent or scheduled, its recipients as waiting, sending or suppressed', () => {
  const now = { createdAt: AT, dueAt: AT, scheduledAt: null }
  const later = { createdAt: AT, dueAt: LATER, scheduledAt: LATER }
  assert.deepEqual(firstEvent(now), { type: 'sent', at: AT, detail: {} })
  assert.deepEqual(firstEvent(later), { type: 'scheduled', at: AT, detail: { nextAttemptAt: LATER } })
  assert.deepEqual(initialState(now, true), { state: 'sending', dueAt: null })
  assert.deepEqual(initialState(now, false), { state: 'waiting', dueAt: AT })
  assert.deepEqual(initialState(later, true), { state: 'waiting', dueAt: LATER })
  const message = 'Not sent: the address is on the suppression list (by hand)'
  const { change, events } = suppressedAtStart(AT, { type: 'manual', reason: 'by hand' })
  assert.deepEqual([change?.state, change?.lastMessage], ['suppressed', message])
  assert.deepEqual(events, [{ type: 'suppressed', at: AT, detail: { message, suppressedBy: 'manual' } }])
})

/** The results of the rows of one kind in each state, as docs/architecture/lifecycle.md shows them. */
function shownTable(): string {
  const named = ({ happening }: (typeof TABLE)[number]) => {
    return happening.kind === 'returned' ? `returned: ${happening.report}` : happening.kind
  }
  const lines = [...Map.groupBy(TABLE, named)].map(([name, rows]) => {
    const shown = [...STATES.keys()].map((index) => {
      const cells = rows.map((row) => row.cells[index]!).filter((cell) => cell !== null)
      const after = cells.map(({ change }) => (change?.state === undefined ? '=' : change.state))
      return after.length === 0 ? '' : [...new Set(after)].join(', ')
    })
    return `| ${name} | ${shown.join(' | ')} |`
  })
  return [`| | ${STATES.join(' | ')} |`, `|---|${STATES.map(() => '---|').join('')}`, ...lines].join('\n')
}

test('docs/architecture/lifecycle.md shows the table as it is', () => {
  const page = readFileSync(new URL('../../docs/architecture/lifecycle.md', import.meta.url), 'utf8')
  assert.ok(page.includes(shownTable()), `It should have:\n${shownTable()}`)
})
