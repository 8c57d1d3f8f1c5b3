import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { HoldRelease } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  eventNames,
  HOUR,
  NOW,
  newId,
  result,
  states,
  TLS,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function recordContract(open: OpenBench): void {
  describe('record', () => {
    test('keeps all captured octets, in the order of recipients', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      for (const size of [64 * 1024 + 1, 300_000, 2_500_000]) {
        const value = email(owner, ['a@x.test', 'b@x.test'])
        await store.accept(value, { token: 7 })
        // Views of a larger buffer, as a message in pieces is.
        const octets = randomBytes(2 * size + 10)
        const [first, second] = [octets.subarray(5, 5 + size), octets.subarray(5 + size, 5 + 2 * size)]
        const expected = [Buffer.from(first), Buffer.from(second)]
        // The second was done first.
        await store.record(attempt(value, 7, [result(1)], { captured: second }))
        await store.record(attempt(value, 7, [result(0)], { captured: first }))
        const kept = await store.readCaptured(value.id)
        assert.deepEqual(
          kept.map(({ recipients, raw }) => [recipients, raw.byteLength]),
          [
            [[0], size],
            [[1], size],
          ],
        )
        for (const [index, { raw }] of kept.entries())
          assert.ok(expected[index]!.equals(raw), `captured ${index} of ${size} octets`)
      }
    })

    test('writes recipients, events, the attempt and the captured octets', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@x.test', 'c@x.test'])
      await store.accept(value, { token: 7 })
      const captured = randomBytes(20_000)
      const recorded = await store.record(
        attempt(
          value,
          7,
          [
            result(0),
            deferred(1, NOW + HOUR, { uncertain: true, preferredServer: 'mx.x.test' }),
            result(2, {
              state: 'bounced',
              code: 550,
              message: '550 5.1.1 Unknown user',
              events: [{ type: 'bounced', at: NOW + 2_000, detail: { code: 550, enhancedCode: '5.1.1' } }],
            }),
          ],
          { captured, duration: 12.7 },
        ),
      )
      assert.deepEqual(recorded, { refused: [] })
      assert.equal(captured.byteLength, 20_000, 'the caller keeps its octets')
      const { email: stored, recipients, events, attempts } = (await store.readHistory(value.id))!
      assert.equal(stored.lastEvent, 'bounced')
      const server = 'mx.x.test [192.0.2.1]:25'
      const base = { kind: 'to', attempts: 1, server, variables: null, postponedSince: null, heldFor: null }
      assert.deepEqual(recipients, [
        {
          ...base,
          position: 0,
          address: 'a@x.test',
          state: 'delivered',
          dueAt: null,
          lastCode: 250,
          lastMessage: '250 2.0.0 Ok',
        },
        {
          ...base,
          position: 1,
          address: 'b@x.test',
          state: 'waiting',
          dueAt: NOW + HOUR,
          lastCode: 451,
          lastMessage: '451 4.7.1 Greylisted',
        },
        {
          ...base,
          position: 2,
          address: 'c@x.test',
          state: 'bounced',
          dueAt: null,
          lastCode: 550,
          lastMessage: '550 5.1.1 Unknown user',
        },
      ])
      const emailId = value.id
      assert.deepEqual(events, [
        { emailId, recipient: null, type: 'sent', at: NOW, detail: {} },
        { emailId, recipient: 0, type: 'delivered', at: NOW + 1_000, detail: { code: 250 } },
        {
          emailId,
          recipient: 1,
          type: 'delivery_delayed',
          at: NOW + 1_000,
          detail: { code: 451, nextAttemptAt: NOW + HOUR },
        },
        {
          emailId,
          recipient: 2,
          type: 'bounced',
          at: NOW + 2_000,
          detail: { code: 550, enhancedCode: '5.1.1' },
        },
      ])
      assert.deepEqual(attempts, [
        {
          recipients: [0, 1, 2],
          startedAt: NOW,
          duration: 13,
          source: '192.0.2.9',
          server: 'mx.x.test [192.0.2.1]:25',
          tls: TLS,
          dialogue: '0 < 220 mx.x.test',
        },
      ])
      assert.deepEqual(await store.readCaptured(value.id), [
        { recipients: [0, 1, 2], raw: new Uint8Array(captured) },
      ])

      const [again] = await store.claim(claimRequest(8, { now: NOW + HOUR }))
      assert.deepEqual(again?.recipients, [
        {
          position: 1,
          address: 'b@x.test',
          domain: 'x.test',
          attempts: 1,
          variables: null,
          preferredServer: 'mx.x.test',
          uncertain: true,
          postponedSince: null,
          suspicion: 0,
        },
      ])
    })

    test('a recipient given back untried counts no attempt and keeps its earlier facts', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [deferred(0, NOW, { uncertain: true, preferredServer: 'mx1' })]))
      await store.claim(claimRequest(2))
      const released = deferred(0, NOW, { tried: false, message: '', code: null, events: [] })
      assert.deepEqual(await store.record(attempt(value, 2, [released], { server: null })), { refused: [] })
      const { recipients, attempts } = (await store.readHistory(value.id))!
      assert.equal(attempts.length, 1)
      assert.equal(recipients[0]?.attempts, 1)
      assert.equal(recipients[0]?.lastMessage, '451 4.7.1 Greylisted')
      const [claimed] = await store.claim(claimRequest(3))
      assert.equal(claimed?.recipients[0]?.preferredServer, 'mx1')
      assert.equal(claimed?.recipients[0]?.uncertain, true)
    })

    test('a postponed recipient has used no attempt, though it was tried, and has the time since then', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      const claimed = async (token: number) => {
        const [work] = await store.claim(claimRequest(token, { now: NOW + HOUR }))
        return work?.recipients[0]
      }
      const postponed = { attempts: 0, postponedSince: NOW, message: '550 relay not permitted' }
      await store.record(attempt(value, 1, [deferred(0, NOW, postponed)]))
      const history = (await store.readHistory(value.id))!
      assert.equal(history.recipients[0]?.attempts, 0)
      assert.equal(history.recipients[0]?.lastMessage, '550 relay not permitted')
      assert.equal(history.attempts.length, 1)
      const first = await claimed(2)
      assert.deepEqual([first?.attempts, first?.postponedSince], [0, NOW])

      // Given back untried, for another reason or for the same.
      await store.record(attempt(value, 2, [deferred(0, NOW, { tried: false })]))
      assert.equal((await claimed(3))?.postponedSince, NOW)
      await store.record(attempt(value, 3, [deferred(0, NOW, { tried: false, postponedSince: NOW + 5 })]))
      assert.equal((await claimed(4))?.postponedSince, NOW + 5)
      assert.equal((await store.readHistory(value.id))!.attempts.length, 1)

      // An attempt that counts ends it.
      await store.record(attempt(value, 4, [deferred(0, NOW)]))
      const last = await claimed(5)
      assert.deepEqual([last?.attempts, last?.postponedSince], [1, null])
    })

    test('a result under a lease that was lost is refused and leaves nothing', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@y.test'])
      await store.accept(value, { token: 1 })
      assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 2)
      await store.claim(claimRequest(2, { maxRecipients: 1 }))

      const late = attempt(value, 1, [result(0, { suppress: true }), result(1)], { captured: randomBytes(5) })
      assert.deepEqual(await store.record(late), { refused: [0, 1] })
      assert.deepEqual((await states(store, value.id)).sort(), ['sending', 'waiting'])
      assert.deepEqual(await eventNames(store, value.id), ['sent'])
      assert.deepEqual((await store.readHistory(value.id))?.attempts, [])
      assert.deepEqual(await store.readCaptured(value.id), [])
      assert.deepEqual(await store.listSuppressions({ limit: 10 }), [])

      const current = (await store.readHistory(value.id))!.recipients.findIndex(
        ({ state }) => state === 'sending',
      )
      assert.deepEqual(await store.record(attempt(value, 2, [result(0), result(1)])), {
        refused: [1 - current],
      })
      assert.deepEqual(await eventNames(store, value.id), ['sent', `${current}:delivered`])
      assert.deepEqual((await store.readHistory(value.id))?.attempts[0]?.recipients, [current])
      assert.deepEqual(await store.record(attempt(value, 2, [result(current)])), { refused: [current] })
      const unknown = { id: newId(), companyId: owner.id }
      assert.deepEqual(await store.record(attempt(unknown, 2, [result(0)])), { refused: [0] })
    })

    test('a recipient given back untried under a lost lease is refused too', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.recover({ now: NOW, jitterMs: 0 })
      await store.claim(claimRequest(2))
      const released = deferred(0, NOW + HOUR, { tried: false, message: '', code: null, events: [] })
      assert.deepEqual(await store.record(attempt(value, 1, [released])), { refused: [0] })
      assert.deepEqual(await states(store, value.id), ['sending'])
      assert.deepEqual(await store.record(attempt(value, 2, [released])), { refused: [] })
      assert.deepEqual(await states(store, value.id), ['waiting'])
    })

    test('the event recorded last is the last event, whatever the clocks say', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      const events = [
        { type: 'delivered' as const, at: NOW + 1, detail: {} },
        { type: 'complained' as const, at: NOW + 2, detail: {} },
      ]
      await store.record(attempt(value, 1, [result(0, { events })]))
      assert.equal((await store.readEmail(value.id))?.lastEvent, 'complained')

      // Of the node that recorded it, the clock was behind.
      const behind = email(owner, ['a@x.test'])
      await store.accept(behind, { token: 1 })
      const late = [{ type: 'delivered' as const, at: behind.createdAt - HOUR, detail: {} }]
      await store.record(attempt(behind, 1, [result(0, { events: late })]))
      assert.equal((await store.readEmail(behind.id))?.lastEvent, 'delivered')
      assert.deepEqual(await eventNames(store, behind.id), ['sent', '0:delivered'])
    })
  })

  describe('cancel', () => {
    test('ends waiting recipients, and no others', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = await accept(store, email(owner, ['a@x.test', 'b@y.test', 'c@z.test']))
      await store.claim(claimRequest(1, { maxRecipients: 1 }))
      assert.deepEqual(await store.cancel(value.id, NOW + 5), { canceled: 2, sending: 1 })
      assert.deepEqual((await states(store, value.id)).sort(), ['canceled', 'canceled', 'sending'])
      assert.equal((await store.readEmail(value.id))?.lastEvent, 'canceled')
      assert.equal((await eventNames(store, value.id)).filter((name) => name.endsWith(':canceled')).length, 2)
      assert.equal(await store.nextDue(), null)
      assert.deepEqual(await store.claim(claimRequest(2)), [])
      assert.deepEqual(await store.cancel(value.id, NOW + 6), { canceled: 0, sending: 0 })
      assert.deepEqual(await store.cancel(newId(), NOW), { canceled: 0, sending: 0 })
    })

    test('of recipients under way lets the attempt end them, or ends them after the attempt', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@y.test', 'c@z.test'])
      await store.accept(value, { token: 1 })
      assert.deepEqual(await store.cancel(value.id, NOW + 1), { canceled: 0, sending: 3 })
      assert.deepEqual(await store.cancelRequests(), [value.id])
      await store.record(
        attempt(value, 1, [
          result(0, { state: 'delivered' }),
          result(1, { state: 'waiting', dueAt: NOW + 1_000 }),
          result(2, { state: 'waiting', dueAt: NOW, tried: false }),
        ]),
      )
      assert.deepEqual(await states(store, value.id), ['delivered', 'canceled', 'canceled'])
      assert.deepEqual(await store.cancelRequests(), [])
      assert.equal(await store.nextDue(), null)
    })

    test('also ends recipients that were under way when the process ended', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      await store.cancel(value.id, NOW + 1)
      await store.recover({ now: NOW + 2, jitterMs: 0 })
      assert.deepEqual(await states(store, value.id), ['canceled'])
      assert.equal(await store.nextDue(), null)
    })
  })

  describe('mail held for its domain', () => {
    test('is due at once when released, and only mail of that domain', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['a@x.test', 'b@x.test'])
      await store.accept(value, { token: 1 })
      const later = NOW + 60_000
      const release = { now: NOW, dueBefore: later + 1 }
      await store.record(
        attempt(value, 1, [
          result(0, { state: 'waiting', dueAt: later, tried: false, held: true }),
          result(1, { state: 'waiting', dueAt: later, tried: false }),
        ]),
      )
      assert.equal(await store.releaseHeld(newId(), release), 0)
      assert.equal(await store.nextDue(), later)
      assert.deepEqual(await store.heldDomains(), [value.domainId])
      assert.equal(await store.releaseHeld(value.domainId, { now: NOW, dueBefore: later }), 0)
      assert.equal(await store.releaseHeld(value.domainId, release), 1)
      assert.deepEqual(await store.heldDomains(), [])
      assert.equal(await store.nextDue(), NOW)
      const [claimed] = await store.claim(claimRequest(2))
      assert.deepEqual(
        claimed!.recipients.map(({ position }) => position),
        [0],
      )
      assert.equal(await store.releaseHeld(value.domainId, release), 0)
    })

    test('is released by the reason of its hold and by recipient domain, however much else is held', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const others = Array.from({ length: 6_000 }, (_, n) => `o${n}@dead.test`)
      const value = email(owner, [...others, 'a@x.test', 'b@y.test', 'c@x.test'])
      await store.accept(value, { token: 1 })
      const later = NOW + 60_000
      const held = (position: number, heldFor: 'path' | 'pause') =>
        result(position, { state: 'waiting', dueAt: later, tried: false, heldFor })
      const last = others.length
      await store.record(
        attempt(value, 1, [
          ...others.map((_, n) => held(n, 'path')),
          held(last, 'path'),
          held(last + 1, 'path'),
          held(last + 2, 'pause'),
        ]),
      )
      const all = { now: NOW, dueBefore: Number.MAX_SAFE_INTEGER }
      const released = (some: Partial<HoldRelease>) => store.releaseHeld(value.domainId, { ...all, ...some })
      assert.equal(await released({ heldFor: 'domain' }), 0)
      assert.equal(await released({ domains: [] }), 0)
      assert.equal(await released({ heldFor: 'path', domains: ['x.test', 'z.test'] }), 1)
      assert.equal(await released({ heldFor: 'pause' }), 1)
      const [claimed] = await store.claim(claimRequest(2))
      assert.deepEqual(
        claimed!.recipients.map(({ position }) => position),
        [last, last + 2],
      )
      assert.equal(await released({}), others.length + 1)
    })

    test('mail held again during a release is not released again, so that a path that closes at once causes no loop', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const count = 1_200
      const value = email(
        owner,
        Array.from({ length: count }, (_, n) => `n${n}@x.test`),
      )
      await store.accept(value, { token: 1 })
      const later = NOW + 60_000
      const held = (position: number) =>
        result(position, { state: 'waiting', dueAt: later, tried: false, held: true })
      await store.record(
        attempt(
          value,
          1,
          Array.from({ length: count }, (_, n) => held(n)),
        ),
      )
      let released: number | null = null
      const releasing = store
        .releaseHeld(value.domainId, { now: NOW, dueBefore: Number.MAX_SAFE_INTEGER })
        .then((sum) => {
          released = sum
        })
      let again = 0
      while (released === null && again < 5 * count) {
        for (const work of await store.claim(claimRequest(2, { maxRecipients: 500 }))) {
          await store.record(
            attempt(
              work,
              2,
              work.recipients.map(({ position }) => held(position)),
            ),
          )
          again += work.recipients.length
        }
      }
      assert.equal(released, count)
      await releasing
    })
  })

  describe('suppressions', () => {
    test('are listed, looked up and removed', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      for (const [who, address] of [
        [owner, 'a@x.test'],
        [owner, 'b@x.test'],
        [other, 'a@x.test'],
      ] as const) {
        const value = email(who, [address])
        await store.accept(value, { token: 1 })
        await store.record(
          attempt(value, 1, [result(0, { state: 'bounced', suppress: true, message: '550 no' })]),
        )
      }
      const shown = await store.listSuppressions({ companyId: owner.id, address: 'A@x.test', limit: 10 })
      assert.equal(shown.length, 1)
      assert.equal(shown[0]?.reason, '550 no')
      assert.equal(shown[0]?.address, 'a@x.test')
      assert.equal(shown[0]?.createdAt, NOW + 1_000)
      assert.equal((await store.listSuppressions({ limit: 2 })).length, 2)
      assert.equal((await store.removeSuppressions({ companyId: owner.id, address: 'a@x.test' })) > 0, true)
      assert.equal((await store.removeSuppressions({ companyId: owner.id, address: 'a@x.test' })) > 0, false)
      assert.equal((await store.removeSuppressions({ companyId: newId(), address: 'a@x.test' })) > 0, false)
      assert.equal((await store.listSuppressions({ address: 'a@x.test', limit: 10 })).length, 1)
      const again = email(owner, ['a@x.test'])
      assert.deepEqual(await store.accept(again, { token: 1 }), { kind: 'accepted', leased: [0] })
    })
  })
}
