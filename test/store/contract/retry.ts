import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decideGiveBack } from '../../../src/email/lifecycle.ts'
import type { RetryCounts, RetryRequest } from '../../../src/store/store.ts'
import { accept, acme, attempt, claimRequest, deferred, email, HOUR, NOW, newId, states } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const LATER = NOW + HOUR

function everything(change: Partial<RetryRequest> = {}): RetryRequest {
  return { companyId: null, domains: null, emailId: null, now: NOW, ...change }
}

function sum(change: Partial<RetryCounts>): RetryCounts {
  return { retried: 0, scheduled: 0, paused: 0, held: 0, ...change }
}

export function retryContract(open: OpenBench): void {
  describe('retry', () => {
    test('makes the waiting mail of a company, domain or email due', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const wait = { dueAt: LATER }
      const mixed = await accept(store, email(owner, ['a@x.test', 'b@y.test'], wait))
      await accept(store, email(owner, ['c@x.test'], wait))
      await accept(store, email(other, ['d@x.test', 'e@z.test'], wait))
      const due = async () => {
        const works = await store.claim(claimRequest(1))
        return works.flatMap(({ recipients }) => recipients.map(({ address }) => address)).sort()
      }
      assert.deepEqual(
        await store.retry(everything({ emailId: mixed.id, domains: ['y.test'] })),
        sum({ retried: 1 }),
      )
      assert.equal(await store.nextDue(), NOW)
      assert.deepEqual(await due(), ['b@y.test'])
      assert.deepEqual(await store.retry(everything({ emailId: mixed.id, companyId: other.id })), sum({}))
      assert.deepEqual(
        await store.retry(everything({ companyId: other.id, domains: ['x.test'] })),
        sum({ retried: 1 }),
      )
      assert.deepEqual(await due(), ['d@x.test'])
      assert.deepEqual(await store.retry(everything({ domains: ['x.test'] })), sum({ retried: 2 }))
      assert.deepEqual(
        await store.retry(everything({ domains: ['x.test'] })),
        sum({}),
        'they are due already',
      )
      assert.deepEqual(await due(), ['a@x.test', 'c@x.test'])
      for (const change of [
        { companyId: newId() },
        { domains: ['no.test'] },
        { domains: [] },
        { emailId: newId() },
        { emailId: 'x' },
      ]) {
        assert.deepEqual(await store.retry(everything(change)), sum({}))
      }
      assert.deepEqual(await store.retry(everything()), sum({ retried: 1 }))
      assert.deepEqual(await due(), ['e@z.test'])
    })

    test('makes one recipient of an email due, or cancels it, and leaves the others', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test', 'b@x.test', 'c@y.test'], { dueAt: LATER }))
      const chosen = (position: number) => everything({ emailId: value.id, position })
      assert.deepEqual(await store.retry(chosen(3)), sum({}))
      assert.deepEqual(await store.retry(everything({ emailId: newId(), position: 1 })), sum({}))
      assert.deepEqual(await store.retry(chosen(1)), sum({ retried: 1 }))
      assert.deepEqual(await store.retry(chosen(1)), sum({}), 'it is due already')
      assert.deepEqual(await store.cancel(value.id, NOW, 2), { canceled: 1, sending: 0 })
      assert.deepEqual(await store.cancel(value.id, NOW, 2), { canceled: 0, sending: 0 })
      assert.deepEqual(await store.cancel(value.id, NOW, 3), { canceled: 0, sending: 0 })
      assert.deepEqual(await store.retry(chosen(2)), sum({}))
      const [work] = await store.claim(claimRequest(1))
      assert.deepEqual(
        work?.recipients.map(({ address }) => address),
        ['b@x.test'],
      )
      assert.deepEqual(await store.cancel(value.id, NOW, 1), { canceled: 0, sending: 1 })
      assert.deepEqual(await states(store, value.id), ['waiting', 'sending', 'canceled'])
    })

    test('sends the named email before all mail to the same domain, even if that is due', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const before = NOW - HOUR
      for (let n = 0; n < 5; n++) await accept(store, email(owner, [`a${n}@x.test`], { dueAt: before + n }))
      const due = await accept(store, email(owner, ['due@x.test'], { dueAt: NOW - 1 }))
      const later = await accept(store, email(owner, ['later@x.test', 'later@y.test'], { dueAt: LATER }))
      const first = async () => {
        const works = await store.claim(claimRequest(1, { maxRecipients: 1, skipDomains: ['y.test'] }))
        return works.flatMap(({ recipients }) => recipients.map(({ address }) => address))
      }
      assert.deepEqual(
        await store.retry(everything({ emailId: later.id, goesFirst: true })),
        sum({ retried: 2 }),
      )
      assert.equal(await store.oldestDue(NOW), before - 1)
      assert.deepEqual(await first(), ['later@x.test'])
      assert.deepEqual(
        await store.retry(everything({ emailId: due.id, goesFirst: true })),
        sum({ retried: 1 }),
      )
      assert.deepEqual(await first(), ['due@x.test'])
      assert.deepEqual(await first(), ['a0@x.test'])
    })

    test('makes mail to any of several domains due, and leaves mail to a paused site', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const wait = { dueAt: LATER }
      await accept(store, email(owner, ['a@x.test', 'b@y.test'], wait))
      await accept(store, email(other, ['c@x.test', 'd@z.test', 'e@w.test'], wait))
      const domains = ['z.test', 'no.test', 'x.test']
      assert.deepEqual(await store.retry(everything({ companyId: owner.id, domains })), sum({ retried: 1 }))
      assert.deepEqual(await store.retry(everything({ domains })), sum({ retried: 2 }))
      const [work] = await store.claim(claimRequest(1, { now: LATER, skipDomains: [...domains, 'y.test'] }))
      assert.deepEqual(
        work?.recipients.map(({ address }) => address),
        ['e@w.test'],
      )
      const { position } = work!.recipients[0]!
      const decision = decideGiveBack({
        kind: 'given-back',
        at: NOW,
        dueAt: LATER,
        heldFor: 'pause',
        message: 'Paused',
      })
      await store.record({ ...attempt({ id: work!.id }, 1, []), recipients: [{ position, decision }] })
      assert.deepEqual(await store.retry(everything({ domains: ['w.test'] })), sum({ paused: 1 }))
    })

    test('keeps the attempts made, the server to ask first and the doubt about a lost answer', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      const lost = deferred(0, LATER, { uncertain: true, preferredServer: 'mx1.x.test' })
      await store.record(attempt(value, 1, [lost]))
      await store.retry(everything())
      const [work] = await store.claim(claimRequest(2))
      const { attempts, preferredServer, uncertain } = work!.recipients[0]!
      assert.deepEqual([attempts, preferredServer, uncertain], [1, 'mx1.x.test', true])
    })

    test('leaves alone mail under way, scheduled, paused or held; an email that is named goes before its time', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const underWay = email(owner, ['a@x.test'])
      await store.accept(underWay, { token: 1 })
      const scheduled = await accept(store, email(owner, ['b@x.test'], { dueAt: LATER, scheduledAt: LATER }))
      await accept(store, email(owner, ['c@paused.test'], { dueAt: LATER }))
      await store.pause({ companyId: null, domain: 'paused.test', since: NOW })
      const held = email(owner, ['d@x.test'])
      await store.accept(held, { token: 1 })
      const back = deferred(0, LATER, { tried: false, held: true, events: [] })
      await store.record(attempt(held, 1, [back]))
      assert.deepEqual(await store.retry(everything()), sum({ scheduled: 1, paused: 1, held: 1 }))
      assert.deepEqual(await store.claim(claimRequest(2)), [])
      assert.deepEqual(await states(store, underWay.id), ['sending'])
      assert.deepEqual(await store.retry(everything({ emailId: held.id })), sum({ held: 1 }))
      assert.deepEqual(await store.heldDomains(), ['domain'])
      assert.equal(await store.releaseHeld('domain', { now: NOW, dueBefore: LATER + 1 }), 1)

      assert.deepEqual(await store.retry(everything({ emailId: scheduled.id })), sum({ retried: 1 }))
      const claimed = await store.claim(claimRequest(2))
      assert.deepEqual(claimed.map(({ id }) => id).sort(), [scheduled.id, held.id].sort())
    })

    test('works in steps through any number, and notifies other nodes', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owners = [await acme(store), await acme(store, 'Other')]
      const many = Array.from({ length: 1_500 }, (_, n) => {
        const scheduled = n % 3 === 0
        return email(owners[n % 2]!, [`a@x${n % 400}.test`, 'b@x.test'], {
          dueAt: LATER + (n % 7),
          scheduledAt: scheduled ? LATER + (n % 7) : null,
        })
      })
      await Promise.all(many.map((value) => store.accept(value, null)))
      const told = Promise.withResolvers<void>()
      t.after(other.watch((change) => change === 'queue' && told.resolve()))
      const sums: number[] = []
      const all = await store.retry(everything(), ({ retried }) => sums.push(retried))
      assert.deepEqual(all, sum({ retried: 2_000, scheduled: 1_000 }))
      assert.ok(sums.length >= 3, 'in steps')
      assert.deepEqual(
        sums,
        sums.toSorted((a, b) => a - b),
      )
      assert.deepEqual(await store.counts(NOW), { waiting: 3_000, sending: 0, quarantined: 0, due: 2_000 })
      await told.promise
      const lanes = await store.queue()
      assert.ok(lanes.every(({ domain, nextDueAt }) => domain !== 'x.test' || nextDueAt === NOW))
      let claimed = 0
      for (let more = true; more; ) {
        const works = await other.claim(claimRequest(1, { maxRecipients: 500, maxPerCompany: 500 }))
        for (const { recipients } of works) claimed += recipients.length
        more = works.length > 0
      }
      assert.equal(claimed, 2_000)
      assert.equal(await store.nextDue(), LATER)
    })
  })
}
