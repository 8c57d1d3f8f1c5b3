/** Sessions that servers keep open without an answer, and companies that wait for one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { ReadyQueues } from '../../src/queue/ready-queues.ts'
import { SessionShortage } from '../../src/queue/session-shortage.ts'
import { pathTo, readyFor } from './paths.ts'

const SESSIONS = 10

/** Companies whose servers hang, `atDot`: after the final dot. `cut`: deliveries that had to make room. */
function start({ atDot = false } = {}) {
  const limits = {
    concurrency: SESSIONS,
    maxDeliveries: 1_000,
    maxBytes: 1_000_000,
    maxLargeBytes: 1_000_000,
  }
  const queues = new ReadyQueues(limits, () => 100)
  let now = 0
  const cut: ReadyDelivery[] = []
  const open: ReadyDelivery[] = []
  const log = { warn: () => {} } as never
  const pump = () => {
    for (let next = queues.take(); next !== null; next = queues.take()) {
      const taken = next
      open.push(taken)
      shortage.begun(taken, (isAtDot) => {
        cut.push(taken)
        if (atDot) isAtDot()
      })
    }
  }
  const shortage = new SessionShortage({ queues, onFree: pump, log, now: () => now })
  return {
    queues,
    cut,
    open,
    send(companyId: string, site = 'dead.test') {
      queues.push(readyFor(companyId, pathTo(site)))
      pump()
    },
    after(ms: number) {
      now += ms
      shortage.look()
    },
    end(taken: ReadyDelivery) {
      shortage.ended(taken)
      open.splice(open.indexOf(taken), 1)
      queues.done(taken)
      pump()
    },
  }
}

const companiesOf = (taken: ReadyDelivery[]) => taken.map(({ email }) => email.companyId)

test('the oldest hanging session is cut for a company without a session', () => {
  const { cut, open, send, after, end } = start()
  for (let n = 0; n < SESSIONS; n++) send(`noisy ${n}`)
  send('calm', 'alive.test')
  assert.equal(open.length, SESSIONS)
  after(1_000)
  assert.deepEqual(cut, [], 'none is old')
  after(4_000)
  assert.deepEqual(companiesOf(cut), ['noisy 0'])
  end(cut[0]!)
  assert.deepEqual(companiesOf(open.slice(-1)), ['calm'])
  after(10_000)
  assert.equal(cut.length, 1, 'nobody waits')
})

test('the company with most sessions makes room first', () => {
  const { cut, open, send, after, end } = start()
  for (let n = 0; n < 20; n++) send('greedy', `dead${n}.test`)
  send('calm', 'alive.test')
  send('other', 'dead.test')
  const held = companiesOf(open).filter((company) => company === 'greedy').length
  assert.ok(held > 4)
  for (let n = 0; n < SESSIONS; n++) send(`noisy ${n}`)
  send('calm', 'alive2.test')
  after(5_000)
  assert.equal(cut[0]!.email.companyId, 'greedy')
  end(cut[0]!)
  assert.ok(!companiesOf(open.slice(-1)).includes('greedy'))
})

test('a company that has its share waits, however long the sessions of another one last', () => {
  const { cut, queues, open, send, after } = start()
  for (let n = 0; n < 20; n++) send('one', `one${n}.test`)
  for (let n = 0; n < 20; n++) send('two', `two${n}.test`)
  assert.ok(companiesOf(open).includes('two'))
  assert.ok([...queues.waitingCompanies()].length > 0)
  after(60_000)
  assert.deepEqual(cut, [])
})

test('a company makes no room for its own mail', () => {
  const { cut, send, after } = start()
  for (let n = 0; n < 20; n++) send('greedy', `dead${n}.test`)
  after(60_000)
  assert.deepEqual(cut, [])
})

test('all sessions are tried within seconds, those again that were tried longest ago', () => {
  const { cut, send, after } = start()
  for (let n = 0; n < SESSIONS; n++) send(`noisy ${n}`)
  send('calm', 'alive.test')
  after(5_000)
  for (let n = 1; n < SESSIONS; n++) after(1_000)
  assert.equal(new Set(cut).size, SESSIONS)
  const [first] = cut
  after(1_000)
  assert.equal(cut.at(-1), first)
})

test('a session behind a final dot is replaced at once, and counts again when its delivery is over', () => {
  const { cut, open, queues, send, after, end } = start({ atDot: true })
  for (let n = 0; n < 2 * SESSIONS; n++) send(`noisy ${n}`)
  assert.equal(open.length, SESSIONS)
  after(5_000)
  assert.equal(open.length, 2 * SESSIONS, 'one for each company that waits')
  for (let n = 0; n < 40; n++) after(5_000)
  assert.ok(cut.length > 0)
  assert.equal(open.length, 2 * SESSIONS, 'as many again, and no more')
  assert.equal(queues.busy, 2 * SESSIONS)
  send('calm', 'alive.test')
  for (const taken of [...open]) end(taken)
  assert.deepEqual(companiesOf(open), ['calm'])
  assert.equal(queues.busy, 1)
  for (const taken of [...open]) end(taken)
  for (let n = 0; n < 2 * SESSIONS; n++) send(`again ${n}`)
  assert.equal(open.length, SESSIONS)
})
