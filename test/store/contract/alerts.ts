import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { problemChanged } from '../../../src/email/company-event.ts'
import type { AnnouncementClaim, NewAlert, Store } from '../../../src/store/store.ts'
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
const CLAIM_MS = 100

/** Claims the announcement of `DISK`; null: it is not to be made. */
async function claim(
  store: Store,
  now: number,
  { channel = 'mail:a', since = NOW, isEnd = false } = {},
): Promise<AnnouncementClaim | null> {
  const claim = { alertId: DISK.id, since, channel, isEnd, now, until: now + CLAIM_MS }
  return (await store.claimAnnouncement(claim)) === null ? null : claim
}

/** Makes the announcement of `DISK` in a moment. */
async function announce(store: Store, now: number, of: Parameters<typeof claim>[2] = {}): Promise<void> {
  const claimed = await claim(store, now, of)
  assert.notEqual(claimed, null)
  await store.endAnnouncement(claimed!, now)
}

async function known(store: Store): Promise<string[]> {
  return (await store.announcements()).map(({ channel, knows }) => `${channel} ${knows}`)
}

export function alertsContract(open: OpenBench): void {
  describe('alerts', () => {
    test('the beginning of a problem is announced once to a channel, and so is its end, by any node', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await store.raiseAlert(DISK, NOW)
      await other.raiseAlert({ ...DISK, found: '0.4 GiB are free.' }, NOW + 1)
      const open1 = { ...DISK, found: '0.4 GiB are free.', since: NOW, endedAt: null }
      assert.deepEqual(await store.alerts(), [open1])
      const claims = await Promise.all([store, other].map((node) => claim(node, NOW + 2)))
      const [claimed, refused] = claims[0] === null ? claims.toReversed() : claims
      assert.deepEqual([claimed === null, refused], [false, null])
      assert.deepEqual(await store.announcements(), [
        {
          alertId: 'disk',
          channel: 'mail:a',
          knows: 'nothing',
          triedSince: NOW + 2,
          claimedUntil: NOW + 2 + CLAIM_MS,
        },
      ])
      await store.endAnnouncement(claimed!, NOW + 4)
      assert.equal(await claim(other, NOW + 1_000), null)

      assert.equal(await claim(other, NOW + 5, { isEnd: true }), null, 'it is not over')
      await other.endAlert('disk', NOW + 5)
      assert.deepEqual(await store.alerts(), [{ ...open1, endedAt: NOW + 5 }])
      assert.equal(await claim(other, NOW + 6, { channel: 'mail:b' }), null, 'it is over')
      await announce(other, NOW + 6, { isEnd: true })
      assert.deepEqual([await store.alerts(), await store.announcements()], [[], []])
    })

    test('channels are told independently, and an end goes only to those that know the beginning', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      await claim(store, NOW, { channel: 'mail:slow' })
      await announce(store, NOW + 1)
      await announce(store, NOW + 2, { channel: 'mail:b' })
      await store.endAlert('disk', NOW + 3)
      await announce(store, NOW + 4, { isEnd: true })
      assert.deepEqual(await known(store), ['mail:a end', 'mail:b beginning', 'mail:slow nothing'])
      await announce(store, NOW + 5, { channel: 'mail:b', isEnd: true })
      assert.equal((await store.alerts()).length, 1, 'the slow channel may learn of the beginning')
      await store.forgetAlerts(NOW + CLAIM_MS, 0)
      assert.deepEqual(await store.alerts(), [])
    })

    test('a node that dies during an announcement leaves it to another, with the time of the first try', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await store.raiseAlert(DISK, NOW)
      const dead = await claim(store, NOW)
      assert.equal(await claim(other, NOW + 99), null)
      const next = await claim(other, NOW + 100)
      assert.equal((await store.announcements())[0]!.triedSince, NOW)
      await store.endAnnouncement(dead!, NOW + 101)
      assert.deepEqual(await known(store), ['mail:a nothing'], 'the claim of the other counts')
      await other.endAnnouncement(next!, NOW + 102)
      assert.deepEqual(await known(store), ['mail:a beginning'])
      assert.equal((await store.announcements())[0]!.triedSince, null)
    })

    test('a problem that ends before any channel knows of it is forgotten, unless it is being announced', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW - 2)
      await store.endAlert('disk', NOW - 1)
      assert.deepEqual(await store.alerts(), [])
      await store.raiseAlert(DISK, NOW)
      const claimed = await claim(store, NOW)
      assert.equal(await store.endAlert('disk', NOW + 1), true)
      assert.equal(await store.endAlert('disk', NOW + 2), false)
      await store.endAnnouncement(claimed!, NOW + 3)
      assert.deepEqual((await store.alerts())[0]!.endedAt, NOW + 1)
      assert.deepEqual(await known(store), ['mail:a beginning'])
    })

    test('a problem that comes back before its end is announced goes on', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      await announce(store, NOW)
      await store.endAlert('disk', NOW + 1)
      await claim(store, NOW + 2, { isEnd: true })
      await store.raiseAlert(DISK, NOW + 3)
      assert.deepEqual(await store.alerts(), [{ ...DISK, since: NOW, endedAt: null }])
      assert.equal(await claim(store, NOW + 1_000), null)
      await store.endAlert('disk', NOW + 1_001)
      await claim(store, NOW + 1_002, { isEnd: true })
      assert.equal((await store.announcements())[0]!.triedSince, NOW + 1_002, 'the end is another one')
    })

    test('a problem that comes back after some channels know of its end begins anew for those', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      await announce(store, NOW)
      await announce(store, NOW, { channel: 'mail:b' })
      await store.endAlert('disk', NOW + 1)
      await announce(store, NOW + 2, { isEnd: true })
      await store.raiseAlert(DISK, NOW + 3)
      assert.deepEqual(await store.alerts(), [{ ...DISK, since: NOW + 3, endedAt: null }])
      assert.deepEqual(await known(store), ['mail:b beginning'])
      assert.equal(await claim(store, NOW + 4), null, 'with the old beginning')
      await announce(store, NOW + 4, { since: NOW + 3 })
    })

    test('a problem that comes back while its end is announced begins anew for that channel', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      await announce(store, NOW)
      await store.endAlert('disk', NOW + 1)
      const end = await claim(store, NOW + 2, { isEnd: true })
      await store.raiseAlert(DISK, NOW + 3)
      await store.endAnnouncement(end!, NOW + 4)
      assert.deepEqual(await store.alerts(), [{ ...DISK, since: NOW + 4, endedAt: null }])
      await announce(store, NOW + 5, { since: NOW + 4 })
    })

    test('an end that cannot be announced is given up after a time, and so is one of a channel that is gone', async (t) => {
      const { store } = await open(t)
      await store.raiseAlert(DISK, NOW)
      for (const channel of ['mail:gone', 'mail:failing']) await announce(store, NOW, { channel })
      await store.endAlert('disk', NOW + 1)
      const ends = { channel: 'mail:failing', isEnd: true }
      await claim(store, NOW + 500, ends)
      await store.forgetAlerts(NOW + 1_001, NOW + 1)
      assert.equal((await store.alerts()).length, 1)
      await claim(store, NOW + 1_499, ends)
      await store.forgetAlerts(NOW + 1_500, NOW + 500)
      assert.equal((await store.alerts()).length, 1, 'it is being announced')
      await store.forgetAlerts(NOW + 1_600, NOW + 500)
      assert.deepEqual(await store.alerts(), [])
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
      const announced = { alertId: trouble.id, since: NOW, channel: 'mail:a', isEnd: false }
      const claimed = { ...announced, now: NOW + 2, until: NOW + 102 }
      assert.equal(await store.claimAnnouncement(claimed), NOW + 2)
      assert.equal((await store.alerts())[0]!.found, 'It grows.')
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
