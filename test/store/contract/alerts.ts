import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { problemChanged } from '../../../src/email/company-event.ts'
import type { NewAlert, Store } from '../../../src/store/store.ts'
import { acme, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const DISK: NewAlert = {
  id: 'disk',
  companyId: null,
  title: 'Disk',
  found: '0.5 GiB are free.',
  advice: 'Make room.',
  memberAdvice: null,
}
const claim = (store: Store, now: number) => store.claimAlerts({ now, until: now + 100, limit: 10 })

export function alertsContract(open: OpenBench): void {
  describe('alerts', () => {
    test('the beginning of an alert is sent once, and so is its end, by any node', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await store.raiseAlert(DISK, NOW)
      await other.raiseAlert({ ...DISK, found: '0.4 GiB are free.' }, NOW + 1)
      const open1 = {
        ...DISK,
        found: '0.4 GiB are free.',
        since: NOW,
        toldAt: null,
        toldTo: null,
        endedAt: null,
      }
      assert.deepEqual(await store.alerts(), [open1])
      assert.deepEqual(await claim(store, NOW + 2), [open1])
      assert.deepEqual(await claim(other, NOW + 3), [], 'another node tells of it')
      await store.alertTold(open1, ['mail:a'], NOW + 4)
      assert.deepEqual(await claim(other, NOW + 1_000), [])

      await other.endAlert('disk', NOW + 5)
      const ended = { ...open1, toldAt: NOW + 4, toldTo: ['mail:a'], endedAt: NOW + 5 }
      assert.deepEqual(await claim(other, NOW + 6), [ended])
      await other.alertTold(ended, [], NOW + 7)
      assert.deepEqual(await store.alerts(), [])
    })

    test('a node that dies while it sends an alert leaves it to another', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await store.raiseAlert(DISK, NOW)
      assert.equal((await claim(store, NOW)).length, 1)
      assert.equal((await claim(other, NOW + 99)).length, 0)
      assert.equal((await claim(other, NOW + 100)).length, 1)
    })

    test('an alert that ends before it was sent is forgotten, unless it is being sent', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      await store.endAlert('disk', NOW + 1)
      assert.deepEqual(await store.alerts(), [])
      await store.raiseAlert(DISK, NOW + 2)
      const [claimed] = await claim(store, NOW + 3)
      await store.endAlert('disk', NOW + 4)
      await store.alertTold(claimed!, ['mail:a'], NOW + 5)
      const [over] = await claim(store, NOW + 6)
      assert.deepEqual([over!.toldAt, over!.endedAt], [NOW + 5, NOW + 4])
    })

    test('an alert that comes back before its end was sent goes on', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      const [claimed] = await claim(store, NOW)
      await store.alertTold(claimed!, ['mail:a'], NOW + 1)
      await store.endAlert('disk', NOW + 2)
      await store.raiseAlert(DISK, NOW + 3)
      assert.deepEqual(await claim(store, NOW + 1_000), [])
      assert.deepEqual(await store.alerts(), [{ ...claimed!, toldAt: NOW + 1, toldTo: ['mail:a'] }])
    })

    test('an alert that some channels have accepted is claimed again, with their names', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      const [begun] = await claim(store, NOW)
      await store.alertPartlyTold(begun!, ['mail:a'], NOW + 1)
      assert.deepEqual(await claim(store, NOW + 2), [])
      await store.endAlert('disk', NOW + 3)
      const [ended] = await claim(store, NOW + 200)
      assert.deepEqual([ended!.toldAt, ended!.toldTo, ended!.endedAt], [null, ['mail:a'], NOW + 3])
      await store.alertTold(ended!, [], NOW + 201)
      assert.deepEqual(await store.alerts(), [])
    })

    test('an alert that comes back while its end is sent begins anew for the channels that were told', async (t) => {
      const { store } = await open(t)
      for (const left of [[], ['mail:b']]) {
        await store.raiseAlert(DISK, NOW)
        const [begun] = await claim(store, NOW)
        await store.alertTold(begun!, ['mail:a', 'mail:b'], NOW + 1)
        await store.endAlert('disk', NOW + 2)
        const [ended] = await claim(store, NOW + 3)
        await store.raiseAlert(DISK, NOW + 4)
        if (left.length > 0) await store.alertPartlyTold(ended!, left, NOW + 5)
        else await store.alertTold(ended!, left, NOW + 5)
        const back = { ...DISK, since: NOW + 5, toldAt: null, toldTo: left, endedAt: null }
        assert.deepEqual(await claim(store, NOW + 6), [back])
        await store.alertTold(back, ['mail:b'], NOW + 7)
        await store.endAlert('disk', NOW + 8)
        const [again] = await claim(store, NOW + 9)
        await store.alertTold(again!, [], NOW + 10)
        assert.deepEqual(await store.alerts(), [])
      }
    })

    test('an open alert is told to more channels, one that is over is not', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      const [begun] = await claim(store, NOW)
      await store.alertTold(begun!, ['mail:a'], NOW + 1)
      const [told] = await store.alerts()
      await store.tellMore(told!)
      const [more] = await claim(store, NOW + 2)
      assert.deepEqual([more!.toldAt, more!.toldTo], [null, ['mail:a']])
      await store.alertTold(more!, ['mail:a', 'mail:b'], NOW + 3)
      await store.endAlert('disk', NOW + 4)
      await store.tellMore({ ...told!, toldAt: NOW + 3 })
      const [over] = await claim(store, NOW + 5)
      assert.deepEqual([over!.toldAt, over!.toldTo], [NOW + 3, ['mail:a', 'mail:b']])
    })

    test('is in the log of its company once when it begins, comes back or ends', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const trouble = { ...DISK, id: 'webhook:1', companyId: owner.id }
      const event = (type: 'problem.started' | 'problem.ended', at: number) =>
        problemChanged(type, { ...trouble, advice: null, since: at }, at)
      const raise = (at: number, found = trouble.found) =>
        store.raiseAlert({ ...trouble, found }, at, event('problem.started', at))
      await raise(NOW)
      await raise(NOW + 1, 'It grows.')
      const [claimed] = await claim(store, NOW + 2)
      assert.equal(claimed!.found, 'It grows.')
      await store.endAlert(trouble.id, NOW + 3, event('problem.ended', NOW + 3))
      await store.endAlert(trouble.id, NOW + 4, event('problem.ended', NOW + 4))
      await raise(NOW + 5)
      await store.raiseAlert({ ...DISK, companyId: null }, NOW, event('problem.started', NOW))
      await store.raiseAlert({ ...DISK, id: 'gone', companyId: newId() }, NOW, event('problem.started', NOW))
      const { events } = await store.entriesAfter(0, {}, 10)
      assert.deepEqual(
        events.map(({ type, at, companyId, emailId }) => [type, at, companyId, emailId]),
        [
          ['problem.started', NOW, owner.id, null],
          ['problem.ended', NOW + 3, owner.id, null],
          ['problem.started', NOW + 5, owner.id, null],
        ],
      )
      assert.deepEqual(events[0]!.detail, event('problem.started', NOW).detail)
      assert.equal(events[2]!.detail.problem!.since, NOW, 'its end was not told')
    })
  })
}
