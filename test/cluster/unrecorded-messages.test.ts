import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type HandoverSlot, UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'

const always = () => true

/** The main thread and two delivery threads, all in this one, on a clock of the test's. */
function nodeOf(limit: number) {
  const shared = UnrecordedMessages.shared(limit, 2)
  const clock = { now: 1_000 }
  const [main, first, second] = [0, 1, 2].map(
    (thread) => new UnrecordedMessages(shared, thread, () => clock.now),
  )
  return { main: main!, first: first!, second: second!, clock }
}

function taken(of: UnrecordedMessages, count: number): HandoverSlot[] {
  return Array.from({ length: count }, () => {
    const place = of.place('acme', always)
    assert.equal(place.take(), true)
    return place
  })
}

/** Lets those who wait look so often: the clock of the test goes on with the real one. */
async function looks(clock: { now: number }, times: number): Promise<void> {
  for (let look = 0; look < times; look++) {
    await pause(51)
    clock.now += 51
  }
}

test('places are counted over all threads, from the final dot until the result is durable', async () => {
  const { main, first, second } = nodeOf(3)
  const [one, two] = [...taken(first, 1), ...taken(second, 1)]
  const three = taken(main, 1)[0]!
  assert.equal(main.held, 3)
  const fourth = second.place('acme', always)
  const waits = fourth.take()
  assert.ok(waits instanceof Promise)
  assert.equal(one!.release(true), true)
  main.received(1)
  assert.equal(main.held, 3)
  main.recorded()
  assert.equal(await waits, true)
  assert.equal(main.held, 3)
  for (const place of [two!, fourth]) assert.equal(place.release(true), true)
  main.received(2)
  main.received(2)
  assert.equal(three.release(true), true)
  for (let left = 3; left > 0; left--) main.recorded()
  assert.equal(main.held, 0)
})

test('one delivery has one place, however many final dots it takes', () => {
  const { main } = nodeOf(2)
  const place = main.place('acme', always)
  assert.equal(place.take(), true)
  assert.equal(place.take(), true)
  assert.equal(main.held, 1)
})

test('a place whose message no server took is given back at once', async () => {
  const { main, first } = nodeOf(1)
  const [place] = taken(first, 1)
  const next = first.place('acme', always)
  const waits = next.take()
  assert.equal(place!.release(false), false)
  assert.equal(await waits, true)
  assert.equal(next.release(false), false)
  assert.equal(main.held, 0)
})

test('waiting deliveries take turns in order, and one that leaves costs no other its turn', async () => {
  const { main } = nodeOf(1)
  const [place] = taken(main, 1)
  const order: number[] = []
  const waiting = [0, 1, 2].map((number) => {
    const next = main.place('acme', always)
    const may = Promise.resolve(next.take()).then((taken) => {
      if (taken) order.push(number)
      return taken
    })
    return { next, may }
  })
  // The connection of the second has ended.
  waiting[1]!.next.release(false)
  place!.release(false)
  assert.equal(await waiting[1]!.may, false)
  assert.equal(await waiting[0]!.may, true)
  assert.deepEqual(order, [0])
  waiting[0]!.next.release(false)
  assert.equal(await waiting[2]!.may, true)
  assert.deepEqual(order, [0, 2])
  assert.equal(main.held, 1)
})

test('a free place goes to the company that holds the fewest, not to the one that has waited longest', async () => {
  const { main, clock } = nodeOf(3)
  const [one, two] = taken(main, 3)
  const waiting = ['acme', 'acme', 'other', 'other'].map((company) => {
    clock.now++
    const next = main.place(company, always)
    const waits = { next, done: false, may: Promise.resolve() }
    waits.may = Promise.resolve(next.take()).then(() => {
      waits.done = true
    })
    return waits
  })
  const went = async (at: number, company: string) => {
    await Promise.race(waiting.filter(({ done }) => !done).map(({ may }) => may))
    assert.equal(waiting[at]!.done, true, `it was the turn of ${company}`)
  }
  one!.release(false)
  await went(2, 'other')
  two!.release(false)
  // Both hold one: now it is the turn of who has waited longer.
  await went(0, 'acme')
  waiting[2]!.next.release(false)
  await went(3, 'other')
  assert.equal(main.held, 3)
  for (const { next } of waiting) next.release(false)
  assert.equal(main.held, 1)
})

test('a delivery that may no longer be handed over stops waiting, and after a minute all do', async () => {
  const { main, clock } = nodeOf(1)
  const [place] = taken(main, 1)
  place!.release(true)
  let holds = true
  const lost = main.place('acme', () => holds).take()
  const patient = main.place('acme', always).take()
  holds = false
  await looks(clock, 1)
  assert.equal(await lost, false)
  clock.now += 60_001
  assert.equal(await patient, false)
  assert.equal(main.held, 1)
})

test('a delivery thread that dies leaves a place to each of its deliveries until that is recorded', () => {
  const { main, first, second } = nodeOf(64)
  taken(first, 3)[0]!.release(true)
  taken(second, 1)
  main.lost(1, 5)
  assert.equal(main.held, 6)
  for (let left = 5; left > 0; left--) main.recorded()
  assert.equal(main.held, 1)
})

test('servers that answer slowly delay no other delivery; a store that writes nothing does', async () => {
  const { main, first, clock } = nodeOf(4)
  taken(first, 4)
  const fifth = first.place('acme', always)
  const waits = fifth.take()
  await looks(clock, 25)
  assert.equal(await waits, true)
  // From now on it is known.
  const more = taken(first, 5)
  assert.equal(main.held, 10)

  // One answer that is not recorded.
  clock.now += 1_000
  fifth.release(true)
  const held = first.place('acme', always).take()
  assert.ok(held instanceof Promise)
  let went = false
  void held.then(() => {
    went = true
  })
  await looks(clock, 25)
  assert.equal(went, false)
  // It is recorded: the store writes again.
  main.received(1)
  main.recorded()
  assert.equal(await held, true)
  for (const place of more) place.release(false)
})

test('slow servers delay no other delivery if their answers come one by one, and quick ones do', () => {
  const { main, clock } = nodeOf(4)
  const open = taken(main, 4)
  /** The oldest is answered and recorded, and another takes its place. */
  const next = (ms: number) => {
    clock.now += ms
    assert.equal(open.shift()!.release(true), true)
    main.recorded()
    open.push(...taken(main, 1))
  }
  // Each has its answer after two seconds; no second passes without one.
  for (let answers = 0; answers < 12; answers++) next(500)
  open.push(...taken(main, 4))
  assert.equal(main.held, 8)
  while (open.length > 3) {
    open.shift()!.release(true)
    main.recorded()
  }
  open.push(...taken(main, 1))
  // After 400 ms.
  for (let answers = 0; answers < 12; answers++) next(100)
  const fifth = main.place('acme', always)
  assert.ok(fifth.take() instanceof Promise)
  fifth.release(false)

  // Slow again; but the last of these answers is long ago.
  for (let answers = 0; answers < 12; answers++) next(500)
  open.shift()!.release(true)
  clock.now += 1_100
  main.recorded()
  open.push(...taken(main, 1))
  assert.ok(main.place('acme', always).take() instanceof Promise)
})

test('many answers that wait for the store do not count as slow servers', async () => {
  const { first, clock } = nodeOf(4)
  for (const place of taken(first, 3)) place.release(true)
  taken(first, 1)
  let went = false
  void Promise.resolve(first.place('acme', always).take()).then(() => {
    went = true
  })
  await looks(clock, 25)
  assert.equal(went, false)
})
