import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Follower, type Hold } from '../../src/events/follower.ts'
import { eventId, NoticeReader } from '../../src/events/notice-reader.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { NoticeFacts } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, email, NOW, node } from '../store/samples.ts'

test('a follower goes on where the one before it stopped, and a step that failed is tried again', async (t) => {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: false })
  t.after(() => store.close())
  const owner = await acme(store)
  for (let n = 0; n < 6; n++) await store.accept(email(owner, ['a@x.test']), null)
  const end = await store.lastEventNumber()
  const seen: number[] = []
  const faults: unknown[] = []
  /** Runs until everything that is there was seen. */
  const run = async (token: number, fail: (hold: Hold) => boolean) => {
    const done = Promise.withResolvers<void>()
    const follower = new Follower({
      store,
      name: 'seen',
      start: 0,
      token: () => token,
      async step(hold) {
        const { events, cursor } = await store.eventsAfter(hold.cursor, {}, 2)
        if (fail(hold)) throw new Error('not now')
        if (cursor === hold.cursor) return { cursor, more: false }
        if (!(await store.advanceFollower(hold.name, hold.token, hold.cursor, cursor))) return null
        seen.push(...events.map(({ number }) => number))
        if (cursor === end || seen.length === 2) done.resolve()
        return { cursor, more: cursor < end }
      },
      onFault: (error) => faults.push(error),
    })
    follower.start()
    await done.promise
    await follower.stop()
  }
  const first = await store.join(node('first'))
  await run(first, () => false)
  const cursor = await store.followerCursor('seen')
  assert.ok(cursor > 0)
  await store.leave(first)
  let failed = false
  const second = await store.join(node('second'))
  await run(second, () => {
    const fails = !failed
    failed = true
    return fails
  })
  assert.equal(await store.followerCursor('seen'), end)
  const { events } = await store.eventsAfter(0, {}, 100)
  assert.deepEqual(
    seen,
    events.map(({ number }) => number),
    'each event once',
  )
  assert.equal(faults.length, 1)
})

test('catching up leaves as much time to others as each step took', async () => {
  const spans: { begun: number; ended: number }[] = []
  const done = Promise.withResolvers<void>()
  const follower = new Follower({
    store: { takeFollower: async () => 0 },
    name: 'behind',
    start: 0,
    token: () => 1,
    async step({ cursor }) {
      const begun = performance.now()
      await sleep(20)
      spans.push({ begun, ended: performance.now() })
      if (spans.length === 4) done.resolve()
      return { cursor: cursor + 1, more: true }
    },
    onFault: done.reject,
  })
  follower.start()
  await done.promise
  await follower.stop()
  for (const [index, { begun }] of spans.entries()) {
    const before = spans[index - 1]
    if (before === undefined) continue
    // Timers may come a millisecond early.
    assert.ok(begun - before.ended >= before.ended - before.begun - 2, JSON.stringify(spans))
  }
})

test('the id of an event is a UUID made of its constant properties', () => {
  const companyId = '019a9b2c-0000-7000-8000-000000000abc'
  const event = { at: NOW, number: 17, companyId }
  assert.match(eventId(event), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(eventId(event), eventId({ ...event }))
  assert.ok(eventId({ ...event, number: 18 }) > eventId(event))
  assert.notEqual(eventId({ ...event, companyId: companyId.replace('abc', 'abd') }), eventId(event))
  assert.match(
    eventId({ ...event, number: Number.MAX_SAFE_INTEGER }),
    /-81f-ffffffffffff$|-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('each email is read once for all its events, and each recipient by itself', async () => {
  const asked: unknown[] = []
  const told = {
    id: 'one',
    individual: true,
    from: '',
    messageId: '',
    recipientCount: 3,
    to: [],
    cc: [],
    headers: [],
    tags: [],
    variables: {},
    subject: '',
  }
  const noticeReader = new NoticeReader({
    async readNoticeFacts(requests, octets) {
      asked.push(requests.map(({ emailId, recipient, known }) => [emailId, recipient, known]))
      const found = requests.map(({ emailId, recipient, known }) => ({
        email: emailId === 'one' && !known ? { ...told, attachments: [] } : null,
        recipient:
          recipient === null ? null : { position: recipient, address: `${recipient}@x.test`, mailbox: null },
        octets: 100,
      }))
      return found.slice(0, Math.ceil(octets / 100)) as unknown as NoticeFacts[]
    },
  })
  const event = (
    number: number,
    recipient: number | null,
    emailId = 'one',
    type: 'sent' | 'delivered' = 'delivered',
  ) => {
    return { number, recipient, emailId, type, at: NOW, companyId: 'c', address: null, detail: {} }
  }
  const first = await noticeReader.readNotices([
    event(1, null, 'one', 'sent'),
    event(2, 0),
    event(3, 1, 'gone'),
  ])
  assert.deepEqual(
    first.map(({ email, recipient }) => [email?.id, recipient?.position, email?.to]),
    [
      ['one', 0, []],
      ['one', 0, ['0@x.test']],
      [undefined, 1, undefined],
    ],
  )
  await noticeReader.readNotices([event(4, 1), event(5, null)])
  const first3 = [
    ['one', 0, false],
    ['one', 0, true],
    ['gone', 1, false],
  ]
  const second2 = [
    ['one', 1, true],
    ['one', 0, true],
  ]
  assert.deepEqual(asked.splice(0), [first3, second2])
  const some = await noticeReader.readNotices([event(6, 0), event(7, 1), event(8, 2)], 650)
  assert.equal(some.length, 1, 'what is known and told again counts, too')
})

test('events with long data are read a few at a time', async () => {
  const asked: number[] = []
  const noticeReader = new NoticeReader({
    async readNoticeFacts(requests, octets) {
      asked.push(requests.length)
      return requests.slice(0, Math.ceil(octets / 1_000)).map(() => {
        return { email: null, recipient: null, octets: 1_000 }
      })
    },
  })
  const events = Array.from({ length: 200 }, (_, number) => {
    const of = { emailId: `e${number}`, companyId: 'c', recipient: null, address: null }
    return { number, ...of, type: 'sent' as const, at: NOW, detail: {} }
  })
  let from = 0
  while (from < events.length) from += (await noticeReader.readNotices(events.slice(from), 10_000)).length
  const [first, ...others] = asked
  assert.equal(first, 40)
  // Twice as many as fit, about.
  assert.ok(
    others.slice(3).every((each) => each <= 22),
    String(asked),
  )
})
