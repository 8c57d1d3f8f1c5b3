import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QuarantineRequest, Store, Suspicion } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  DAY,
  deferred,
  email,
  eventNames,
  HOUR,
  NOW,
  newId,
  node,
  result,
  states,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const WHY = 'It took down the process that composed it'

function quarantineOf(
  of: { id: string },
  leaseToken: number,
  change: Partial<QuarantineRequest> = {},
): QuarantineRequest {
  return {
    emailId: of.id,
    leaseToken,
    positions: [0],
    others: 'quarantine',
    at: NOW + 2_000,
    message: WHY,
    ...change,
  }
}

/** The suspicion of due recipients, by address. */
async function claimed(store: Store, token: number, now = NOW): Promise<Record<string, Suspicion>> {
  const works = await store.claim(claimRequest(token, { now }))
  const recipients = works.flatMap((work) => work.recipients)
  return Object.fromEntries(recipients.map(({ address, suspicion }) => [address, suspicion]).sort())
}

export function quarantineContract(open: OpenBench): void {
  describe('suspicion', () => {
    test('falls on the recipients under way when their node ended, and on the others of their emails', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const here = await store.join(node('here'))
      await accept(store, email(other, ['innocent@x.test']))
      const several = email(owner, ['a@x.test', 'b@y.test', 'later@z.test'])
      await store.accept(several, { token: 4_711 })
      await store.record(attempt(several, 4_711, [deferred(2, NOW + HOUR)]))
      await store.recover({ now: NOW, jitterMs: 0 })
      assert.deepEqual(await claimed(store, here), { 'a@x.test': 1, 'b@y.test': 1, 'innocent@x.test': 0 })
      assert.deepEqual(await claimed(store, here, NOW + HOUR), { 'later@z.test': 1 })
    })

    test('ends with an attempt that reports no suspicion, and stays for recipients that were not tried', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const here = await store.join(node('here'))
      const value = email(owner, ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'])
      await store.accept(value, { token: 4_711 })
      await store.recover({ now: NOW, jitterMs: 0 })
      await claimed(store, here)
      await store.record(
        attempt(value, here, [
          deferred(0, NOW),
          deferred(1, NOW, { suspicion: 2 }),
          deferred(2, NOW, { tried: false, events: [] }),
          deferred(3, NOW, { tried: false, events: [], suspicion: 2 }),
        ]),
      )
      const expected = { 'a@x.test': 0, 'b@x.test': 2, 'c@x.test': 1, 'd@x.test': 2 }
      assert.deepEqual(await claimed(store, here, NOW + HOUR), expected)
    })

    test('falls on the recipients that an attempt names, although no node has ended', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(0, NOW, { tried: false, events: [], suspicion: 1 })]))
      assert.deepEqual(await claimed(store, 1, NOW + HOUR), { 'a@x.test': 1 })
    })
  })

  describe('quarantine', () => {
    test('holds the recipients of the delivery and the others that wait: nothing claims, retries, recovers or removes them', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@y.test', 'c@y.test', 'd@z.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(1, NOW + HOUR), result(2)]))
      assert.equal(await store.quarantine(quarantineOf(value, 1)), 2)
      assert.deepEqual(await states(store, value.id), ['quarantined', 'quarantined', 'delivered', 'sending'])
      const events = await eventNames(store, value.id)
      assert.deepEqual(events.slice(-2).sort(), ['0:delivery_delayed', '1:delivery_delayed'])
      assert.equal((await store.readEmail(value.id))!.lastEvent, 'delivery_delayed')
      const { recipients } = (await store.readHistory(value.id))!
      assert.deepEqual(
        [recipients[0]!.lastMessage, recipients[0]!.attempts, recipients[0]!.dueAt],
        [WHY, 0, null],
      )

      await store.record(attempt(value, 1, [result(3)]))
      await store.recover({ now: NOW, jitterMs: 0 })
      assert.equal(await store.nextDue(), null)
      assert.deepEqual(await claimed(store, 2, NOW + DAY), {})
      const everything = { companyId: null, domains: null, emailId: value.id, now: NOW }
      assert.equal((await store.retry(everything)).retried, 0)
      const after = NOW + 100 * DAY
      assert.equal(await store.retain({ contentBefore: after, emailsBefore: after, limit: 10 }), 0)
      assert.notEqual(await store.readWork(value.id), null)

      const counts = await store.counts(NOW + DAY)
      assert.deepEqual(counts, { waiting: 0, sending: 0, due: 0, quarantined: 2 })
      const lanes = await store.queue()
      assert.deepEqual(
        lanes.map(({ domain, waiting, sending, quarantined, lastMessage }) => [
          domain,
          waiting,
          sending,
          quarantined,
          lastMessage,
        ]),
        [
          ['x.test', 0, 0, 1, WHY],
          ['y.test', 0, 0, 1, WHY],
        ],
      )
      const listed = await store.quarantined({ limit: 10 })
      assert.deepEqual(listed, [
        {
          id: value.id,
          companyId: owner.id,
          from: value.content.from,
          subject: value.content.subject,
          recipients: 2,
          since: NOW + 2_000,
          message: WHY,
        },
      ])
      assert.deepEqual(await store.quarantined({ companyId: newId(), limit: 10 }), [])
    })

    test('leaves the others of the email waiting where their content is their own, but suspect', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@y.test', 'c@z.test'], { individual: true })
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(1, NOW)]))
      assert.equal(await store.quarantine(quarantineOf(value, 1, { others: 'suspect' })), 1)
      assert.deepEqual(await states(store, value.id), ['quarantined', 'waiting', 'sending'])
      assert.deepEqual(await claimed(store, 2, NOW + HOUR), { 'b@y.test': 2 })
      await store.recover({ now: NOW, jitterMs: 0 })
      assert.deepEqual(await claimed(store, 2, NOW + HOUR), { 'b@y.test': 2, 'c@z.test': 2 })
    })

    test('takes no recipients from another lease, and cancels those of a canceled email', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@x.test'])
      await store.accept(value, { token: 1 })
      assert.equal(await store.quarantine(quarantineOf(value, 2, { positions: [0, 1] })), 0)
      assert.deepEqual(await states(store, value.id), ['sending', 'sending'])
      assert.equal(await store.quarantine(quarantineOf({ id: newId() }, 1)), 0)
      assert.equal(await store.quarantine(quarantineOf({ id: 'no id' }, 1)), 0)
      await store.cancel(value.id, NOW)
      assert.equal(await store.quarantine(quarantineOf(value, 1)), 0)
      assert.deepEqual(await states(store, value.id), ['canceled', 'sending'])
      assert.deepEqual(await store.cancelRequests(), [value.id])
    })

    test('ends by release: due now and still suspect, of the company or email that is named', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const owners = [await acme(store), await acme(store, 'Other')]
      const values = owners.map((owner) => email(owner, ['a@x.test', 'b@y.test']))
      for (const value of values) {
        await store.accept(value, { token: 1 })
        await store.quarantine(quarantineOf(value, 1, { positions: [0, 1] }))
      }
      const [first, second] = values as [(typeof values)[0], (typeof values)[0]]
      const release = (change: { companyId?: string; emailId?: string }) =>
        other.releaseQuarantined({ companyId: null, emailId: null, ...change }, NOW + HOUR)
      assert.equal(await release({ emailId: newId() }), 0)
      assert.equal(await release({ emailId: 'x' }), 0)
      assert.equal(await release({ companyId: owners[1]!.id, emailId: first.id }), 0)
      assert.equal(await release({ emailId: first.id }), 2)
      assert.deepEqual(await claimed(store, 2, NOW + HOUR - 1), {})
      assert.deepEqual(await claimed(store, 2, NOW + HOUR), { 'a@x.test': 1, 'b@y.test': 1 })
      assert.deepEqual((await eventNames(store, first.id)).slice(-2).sort(), ['0:queued', '1:queued'])
      assert.equal(await release({ companyId: owners[0]!.id }), 0)
      assert.equal(await release({}), 2)
      assert.deepEqual(await states(store, second.id), ['waiting', 'waiting'])
      assert.deepEqual(await store.quarantined({ limit: 10 }), [])
    })

    test('ends by release in steps, whatever their number', async (t) => {
      const { store } = await open(t)
      const addresses = Array.from({ length: 1_200 }, (_, n) => `a${n}@x${n % 7}.test`)
      const value = email(await acme(store), addresses)
      await store.accept(value, { token: 1 })
      const positions = [...addresses.keys()]
      assert.equal(await store.quarantine(quarantineOf(value, 1, { positions })), 1_200)
      assert.equal(await store.releaseQuarantined({ companyId: null, emailId: null }, NOW), 1_200)
      assert.deepEqual(await store.counts(NOW), { waiting: 1_200, sending: 0, due: 1_200, quarantined: 0 })
      assert.equal(
        (await store.queue()).reduce((sum, { waiting }) => sum + waiting, 0),
        1_200,
      )
    })

    test('ends by cancellation', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(1)]))
      await store.quarantine(quarantineOf(value, 1))
      assert.deepEqual(await store.cancel(value.id, NOW), { canceled: 1, sending: 0 })
      assert.deepEqual(await states(store, value.id), ['canceled', 'delivered'])
      assert.equal((await eventNames(store, value.id)).at(-1), '0:canceled')
      assert.deepEqual(await store.counts(NOW), { waiting: 0, sending: 0, due: 0, quarantined: 0 })
    })
  })
}
