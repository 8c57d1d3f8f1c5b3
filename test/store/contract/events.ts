import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LogFilter, LoggedEvent } from '../../../src/email/event.ts'
import type { EventLog } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  DAY,
  deferred,
  email,
  HOUR,
  NOW,
  node,
  result,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** All events behind a cursor, read in pages; fails when a page does not lead on. */
async function behind(
  log: EventLog,
  cursor: number,
  filter: LogFilter = {},
  limit = 3,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (;;) {
    const page = await log.eventsAfter(cursor, filter, limit)
    assert.ok(page.events.length <= limit)
    assert.ok(page.cursor >= cursor)
    events.push(...page.events)
    if (page.cursor === cursor) return events
    cursor = page.cursor
  }
}

const named = ({ emailId, recipient, type }: LoggedEvent) => [emailId, recipient, type]

export function eventsContract(open: OpenBench): void {
  describe('the log of events', () => {
    test('has everything that happened on any node, in the order in which it was committed', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      assert.deepEqual(await store.eventsAfter(0, {}, 10), { events: [], cursor: 0 })
      assert.equal(await store.lastEventNumber(), 0)

      const owner = await acme(store)
      const token = await store.join(node('here'))
      const first = email(owner, ['a@x.test', 'b@y.test'])
      const second = email(owner, ['c@x.test'])
      const third = email(owner, ['d@z.test'], { scheduledAt: NOW + HOUR, dueAt: NOW + HOUR })
      await store.accept(first, { token })
      await other.accept(second, { token })
      await accept(store, third)
      await other.record(attempt(second, token, [deferred(0, NOW + HOUR)]))
      await store.record(attempt(first, token, [result(0), result(1)]))
      await other.claim(claimRequest(token, { now: NOW + HOUR }))
      await store.record(attempt(second, token, [result(0)]))

      const events = await behind(other, 0)
      assert.deepEqual(events.map(named), [
        [first.id, null, 'sent'],
        [second.id, null, 'sent'],
        [third.id, null, 'scheduled'],
        [second.id, 0, 'delivery_delayed'],
        [first.id, 0, 'delivered'],
        [first.id, 1, 'delivered'],
        [third.id, null, 'sent'],
        [second.id, 0, 'delivered'],
      ])
      assert.deepEqual(
        events.map(({ number }) => number),
        events.map(({ number }) => number).toSorted((a, b) => a - b),
      )
      assert.equal(new Set(events.map(({ number }) => number)).size, events.length)
      assert.deepEqual(await behind(store, 0, {}, 100), events)
      assert.equal(await store.lastEventNumber(), events.at(-1)!.number)
      for (const [index, { number }] of events.entries()) {
        assert.deepEqual(await behind(store, number), events.slice(index + 1))
      }
    })

    test('each event contains its company, its email or object, and the reply', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'Jane.Doe@y.test'])
      await store.accept(value, { token: 1 })
      const detail = {
        code: 451,
        enhancedCode: '4.7.1',
        message: 'Später',
        nextAttemptAt: NOW + HOUR,
        attempt: 1,
      }
      const at = NOW + 1_000
      const events = [{ type: 'delivery_delayed' as const, at, detail }]
      await store.record(attempt(value, 1, [deferred(1, NOW + HOUR, { events })]))
      const told = { emailId: value.id, companyId: owner.id }
      const [sent, delayed] = await behind(store, 0)
      assert.deepEqual(sent, {
        ...told,
        number: sent!.number,
        recipient: null,
        address: null,
        type: 'sent',
        at: NOW,
        detail: {},
      })
      assert.deepEqual(delayed, {
        ...told,
        number: delayed!.number,
        recipient: 1,
        address: 'Jane.Doe@y.test',
        type: 'delivery_delayed',
        at,
        detail,
      })
    })

    test('is filtered by company and types, and the cursor passes the other events', async (t) => {
      const { store } = await open(t)
      const owners = [await acme(store), await acme(store, 'Other')]
      const values = Array.from({ length: 6 }, (_, n) => email(owners[n % 2]!, ['a@x.test']))
      for (const value of values) {
        await store.accept(value, { token: 1 })
        await store.record(attempt(value, 1, [result(0)]))
      }
      const all = await behind(store, 0)
      assert.equal(all.length, 12)
      const [company, other] = owners.map(({ id }) => id)
      const wanted = async (filter: LogFilter) => (await behind(store, 0, filter, 2)).map(named)
      const those = (keep: (event: LoggedEvent) => boolean) => all.filter(keep).map(named)
      assert.deepEqual(
        await wanted({ companyId: company! }),
        those(({ companyId }) => companyId === company),
      )
      assert.deepEqual(
        await wanted({ types: ['delivered'] }),
        those(({ type }) => type === 'delivered'),
      )
      assert.deepEqual(
        await wanted({ types: ['delivered', 'sent'] }),
        those(() => true),
      )
      assert.deepEqual(
        await wanted({ companyId: other!, types: ['sent', 'bounced'] }),
        those(({ companyId, type }) => companyId === other && type === 'sent'),
      )
      for (const filter of [{ types: ['unsubscribed' as const] }, { types: [] }, { companyId: 'nobody' }]) {
        assert.deepEqual(await wanted(filter), [])
        const { cursor } = await store.eventsAfter(0, filter, 10)
        assert.equal(cursor, all.at(-1)!.number, 'what is not wanted is not looked at again')
      }
    })

    test('shows the events of one email in the same order', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@x.test'])
      await store.accept(value, { token: 1 })
      // Clocks differ: the order is that of commits.
      const early = [{ type: 'delivery_delayed' as const, at: NOW - DAY, detail: { message: 'early' } }]
      await store.record(attempt(value, 1, [result(1)]))
      await store.record(attempt(value, 1, [deferred(0, NOW + HOUR, { events: early })]))
      const logged = (await behind(store, 0)).map(({ recipient, type }) => [recipient, type])
      const history = await store.readHistory(value.id)
      assert.deepEqual(
        history!.events.map(({ recipient, type }) => [recipient, type]),
        logged,
      )
      assert.equal(history!.email.lastEvent, 'delivery_delayed', 'the last that was committed')
      assert.equal((await store.readEmail(value.id))!.lastEvent, 'delivery_delayed')
      assert.deepEqual(
        (await store.listEmails({ limit: 10 })).map(({ lastEvent }) => lastEvent),
        ['delivery_delayed'],
      )
    })

    test('never gives a number twice, also when retention has emptied it', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(0)]))
      const before = await behind(store, 0)
      const older = { contentBefore: NOW + DAY, emailsBefore: NOW + DAY, limit: 100 }
      while ((await store.retain(older)) > 0);
      assert.deepEqual(await behind(store, 0), [])
      const last = await store.lastEventNumber()
      assert.ok(last >= before.at(-1)!.number, `${last} is the last, ${before.at(-1)!.number} was seen`)
      await store.accept(email(owner, ['b@x.test']), { token: 1 })
      const [next] = await behind(store, before.at(-1)!.number)
      assert.equal(next!.type, 'sent')
    })
  })
}
