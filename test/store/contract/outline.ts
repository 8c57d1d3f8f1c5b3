/** An email by the piece: what became of it without its content and dialogues, and each of these by itself. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  newId,
  result,
  to,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

const ALL = { from: 0, limit: 1_000, eventOctets: 1_000_000, attempts: 1_000 }

export function outlineContract(open: OpenBench): void {
  describe('an email by the piece', () => {
    test('its outline equals its history without content and dialogues', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@x.test', 'c@y.test'], {
        tags: [{ name: 'tag', value: 'x' }],
        variables: { order: '7' },
      })
      value.content.html = `<p>${'x'.repeat(10_000)}`
      value.content.headers = [['X-Long', 'y'.repeat(500)]]
      await store.accept(value, { token: 1 })
      const dialogue = `0 < ${'z'.repeat(5_000)}`
      await store.record(attempt(value, 1, [result(0), deferred(1, NOW + HOUR)], { dialogue }))
      await store.record(attempt(value, 1, [result(2, { state: 'bounced', message: '550 5.1.1 No' })]))
      const outline = (await store.readOutline(value.id, ALL))!
      const history = (await store.readHistory(value.id))!
      const { content, ...shown } = history.email
      const { html, text, amp, headers, date, ...head } = content
      assert.deepEqual(outline.email, { ...shown, ...head, rawFiles: null })
      assert.deepEqual(outline.states, { delivered: 1, waiting: 1, bounced: 1 })
      assert.deepEqual(
        outline.recipients,
        history.recipients.map(({ variables, ...recipient }) => recipient),
      )
      assert.deepEqual(outline.events, history.events)
      assert.deepEqual(
        outline.attempts.map(({ id, ...each }) => each),
        history.attempts.map(({ dialogue, ...each }) => ({ ...each, ending: dialogue.slice(-1_100) })),
      )
      const dialogues = outline.attempts.map(({ id }) => store.readDialogue(value.id, id))
      assert.deepEqual(await Promise.all(dialogues), [dialogue, '0 < 220 mx.x.test'])
      assert.doesNotMatch(JSON.stringify({ ...outline, attempts: [] }), /xxx|yyy|zzz/)
    })

    test('captured recipients are counted apart from delivered ones', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@x.test', 'c@x.test'])
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(0, { server: 'mx.x.test' })]))
      await store.record(
        attempt(
          value,
          1,
          [1, 2].map((position) => result(position, { server: 'capture' })),
        ),
      )
      assert.deepEqual((await store.readOutline(value.id, ALL))!.states, { delivered: 1, captured: 2 })
      const [counts] = await store.recipientCounts([value.id], NOW)
      assert.deepEqual(
        counts!.groups.map(({ state, count }) => ({ state, count })).toSorted((a, b) => a.count - b.count),
        [
          { state: 'delivered', count: 1 },
          { state: 'captured', count: 2 },
        ],
      )
    })

    test('it is as large as was said before it is read', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const octets = async (change: Parameters<typeof email>[2], html = '') => {
        const value = email(owner, ['a@x.test'], change)
        if (html !== '') value.content.html = html
        await accept(store, value)
        return (await store.emailOrigin(value.id))!
      }
      const plain = await octets({})
      const large = await octets({}, 'x'.repeat(100_000))
      assert.equal(large.outlineOctets, plain.outlineOctets)
      assert.ok(large.octets >= plain.octets + 100_000)
      const tagged = await octets({ variables: { v: 'x'.repeat(50_000) } })
      assert.ok(tagged.outlineOctets >= plain.outlineOctets + 50_000)
    })

    test('a range selects recipients with their attempts and events', async (t) => {
      const { store } = await open(t)
      const addresses = Array.from({ length: 12 }, (_, n) => `r${n}@x.test`)
      const value = email(await acme(store), addresses)
      await store.accept(value, { token: 1 })
      const dialogue = (n: number) => `0 < 220 ${n}`
      for (let n = 0; n < 12; n += 2)
        await store.record(attempt(value, 1, [result(n), result(n + 1)], { dialogue: dialogue(n) }))
      const outline = (await store.readOutline(value.id, { ...ALL, from: 3, limit: 4 }))!
      assert.deepEqual(
        outline.recipients.map(({ position }) => position),
        [3, 4, 5, 6],
      )
      assert.deepEqual(outline.states, { delivered: 12 })
      assert.deepEqual(
        outline.attempts.map(({ recipients }) => recipients),
        [[3], [4, 5], [6]],
      )
      assert.deepEqual(
        outline.events.flatMap(({ recipient }) => recipient ?? []),
        [3, 4, 5, 6],
      )
      const [, middle] = outline.attempts
      assert.equal(await store.readDialogue(value.id, middle!.id), dialogue(4))
      assert.deepEqual(
        (await store.readRecipients(value.id, { from: 10, limit: 5 })).map(({ address }) => address),
        ['r10@x.test', 'r11@x.test'],
      )
      const none = (await store.readOutline(value.id, { ...ALL, from: 12, limit: 5 }))!
      assert.deepEqual([none.recipients, none.attempts], [[], []])
    })

    test('its outline has the newest of many attempts and events, in order', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test'])
      await store.accept(value, { token: 1 })
      for (let n = 0; n < 9; n++) {
        const message = `451 ${n} ${'x'.repeat(300)}`
        const events = [{ type: 'delivery_delayed' as const, at: NOW + n, detail: { message } }]
        await store.record(attempt(value, 1, [deferred(0, NOW, { events })], { duration: n }))
        await store.claim(claimRequest(1))
      }
      const outline = (await store.readOutline(value.id, { ...ALL, eventOctets: 1_500, attempts: 4 }))!
      assert.deepEqual(
        outline.attempts.map(({ duration }) => duration),
        [5, 6, 7, 8],
      )
      assert.deepEqual(
        outline.events.map(({ at }) => at - NOW),
        [6, 7, 8],
      )
      const eventsWithin = async (eventOctets: number) =>
        (await store.readOutline(value.id, { ...ALL, eventOctets }))!.events.map(({ at }) => at - NOW)
      assert.deepEqual(await eventsWithin(100), [8], 'the newest, however long it is')
      assert.deepEqual(await eventsWithin(0), [])
    })

    test('the beginning of its bodies, cut between characters', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test'])
      value.content = {
        ...value.content,
        html: 'é'.repeat(60),
        text: 'a\0b',
        headers: [['X-Note', 'n']],
      }
      await accept(store, value)
      assert.deepEqual(await store.readContent(value.id, 101), {
        individual: false,
        contentRemoved: false,
        headers: [['X-Note', 'n']],
        html: { beginning: 'é'.repeat(50), clipped: true },
        text: { beginning: 'a\0b', clipped: false },
        amp: null,
      })
      const whole = await store.readContent(value.id, 120)
      assert.deepEqual(whole!.html, { beginning: 'é'.repeat(60), clipped: false })
    })

    test('the values of a batch, as many as have room', async (t) => {
      const { store } = await open(t)
      const recipients = Array.from({ length: 5 }, (_, n) =>
        to(`r${n}@x.test`, { variables: { n: `${n}`, long: 'x'.repeat(1_000) } }),
      )
      const value = await accept(store, email(await acme(store), [], { recipients, individual: true }))
      const values = await store.readValues(value.id, { from: 1, limit: 3, octets: 2_500 })
      assert.deepEqual(
        values.map(({ address, variables }) => [address, JSON.parse(variables).n]),
        [
          ['r1@x.test', '1'],
          ['r2@x.test', '2'],
        ],
      )
      const one = await store.readValues(value.id, { from: 1, limit: 3, octets: 500 })
      assert.deepEqual(
        one.map(({ address }) => address),
        ['r1@x.test'],
        'the first, however long it is',
      )
      const plain = await accept(store, email(await acme(store, 'Other'), ['a@x.test']))
      assert.deepEqual(await store.readValues(plain.id, { from: 0, limit: 9, octets: 1_000 }), [])
    })

    test('the work of one copy of a batch has its recipient alone, that of other mail all', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const recipients = Array.from({ length: 3 }, (_, n) => to(`r${n}@x.test`, { variables: { n: `${n}` } }))
      const batch = await accept(store, email(owner, [], { recipients, individual: true }))
      const variables = async (id: string, copy?: number) =>
        (await store.readWork(id, copy))!.recipients.map((each) => [each.position, each.variables])
      assert.deepEqual(await variables(batch.id, 1), [[1, { n: '1' }]])
      assert.deepEqual(await variables(batch.id, 3), [])
      assert.equal((await variables(batch.id)).length, 3)
      const shared = await accept(store, email(owner, ['a@x.test', 'b@x.test']))
      assert.equal((await variables(shared.id, 1)).length, 2)
    })

    test('one captured copy: the first, or that of a recipient', async (t) => {
      const { store } = await open(t)
      const value = email(await acme(store), ['a@x.test', 'b@x.test', 'c@x.test'])
      await store.accept(value, { token: 7 })
      const [first, second] = [randomBytes(200_000), randomBytes(10)]
      await store.record(attempt(value, 7, [result(2)], { captured: second }))
      await store.record(attempt(value, 7, [result(0), result(1)], { captured: first }))
      const whose = async (position: number | null) => {
        const copy = await store.readCapturedCopy(value.id, position)
        return copy && [copy.recipients, Buffer.from(copy.raw).equals(copy.raw.length > 10 ? first : second)]
      }
      assert.deepEqual(await whose(null), [[0, 1], true])
      assert.deepEqual(await whose(1), [[0, 1], true])
      assert.deepEqual(await whose(2), [[2], true])
      assert.equal(await whose(3), null)
    })

    test('nothing of an unknown email', async (t) => {
      const { store } = await open(t)
      for (const id of [newId(), 'nonsense']) {
        assert.equal(await store.readOutline(id, ALL), null)
        assert.deepEqual(await store.readRecipients(id, ALL), [])
        assert.deepEqual(await store.readValues(id, { from: 0, limit: 1, octets: 1 }), [])
        assert.equal(await store.readDialogue(id, 0), null)
        assert.equal(await store.readContent(id, 1), null)
        assert.equal(await store.readCapturedCopy(id, null), null)
      }
    })
  })
}
