/** How many mails that come back begin at once, and while sending keeps the thread busy. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ReturnedMailPace } from '../../src/inbound/pace.ts'

/** A thread on a clock of its own, whose work and mail the test decides. */
class Thread {
  busy = 0
  sending = true
  begun = 0
  waiting = 0
  left = 0
  readonly #timers: TestContext['mock']['timers']
  #now = 0
  #active = 0
  readonly #pace = new ReturnedMailPace({
    now: () => this.#now,
    isSending: () => this.sending,
    utilization: () => ({ active: this.#active, idle: this.#now - this.#active }),
    onWaiting: (mails) => {
      this.waiting = mails
    },
  })

  constructor({ mock }: TestContext) {
    mock.timers.enable({ apis: ['setTimeout'] })
    this.#timers = mock.timers
  }

  come(mails: number, gone: AbortSignal = new AbortController().signal, from = '192.0.2.1'): void {
    for (let mail = 0; mail < mails; mail++) {
      void this.#pace.turn(from, gone).then(
        () => this.begun++,
        () => this.left++,
      )
    }
  }

  /** Returns how many mails began meanwhile. */
  async pass(ms: number): Promise<number> {
    const before = this.begun
    for (let passed = 0; passed < ms; passed++) {
      this.#now++
      this.#active += this.busy
      this.#timers.tick(1)
      await Promise.resolve()
    }
    return this.begun - before
  }
}

test('the first mail begins at once, and the mails right after it begin together', async (t) => {
  const thread = new Thread(t)
  thread.come(1)
  await Promise.resolve()
  assert.equal(thread.begun, 1)
  thread.come(5)
  assert.equal(await thread.pass(24), 0)
  assert.equal(await thread.pass(1), 5)
  // None came for a while.
  await thread.pass(100)
  thread.come(1)
  await Promise.resolve()
  assert.equal(thread.begun, 7)
})

test('while sending keeps the thread busy, ten mails begin each second; with spare time they catch up', async (t) => {
  const thread = new Thread(t)
  thread.busy = 0.95
  thread.come(10_000)
  await thread.pass(2_000)
  assert.equal(await thread.pass(10_000), 100)
  assert.equal(thread.waiting, 10_000 - thread.begun)
  thread.busy = 0.5
  // The pace grows by a hundred a second.
  await thread.pass(10_000)
  assert.equal(await thread.pass(1_000), 1_000)
})

test('a flood from one server delays the mail of another by a turn', async (t) => {
  const thread = new Thread(t)
  thread.busy = 0.95
  thread.come(10_000)
  await thread.pass(2_000)
  const { begun } = thread
  const other = new AbortController()
  thread.come(1, other.signal, '198.51.100.1')
  await thread.pass(500)
  assert.ok(thread.begun > begun)
  other.abort()
  await thread.pass(1)
  assert.equal(thread.left, 0, 'it has had its turn')
})

test('a mail whose sender has disconnected takes no turn', async (t) => {
  const thread = new Thread(t)
  thread.busy = 0.95
  thread.come(1_000)
  await thread.pass(2_000)
  const leaving = new AbortController()
  const { waiting } = thread
  thread.come(500, leaving.signal)
  thread.come(100)
  await thread.pass(25)
  leaving.abort(new Error('gone'))
  await thread.pass(25)
  assert.equal(thread.left, 500)
  assert.ok(thread.waiting <= waiting + 100)
  thread.busy = 0
  await thread.pass(20_000)
  assert.deepEqual([thread.begun, thread.waiting], [1_100, 0])
  // One that has left already is not taken in, and one that has begun is not taken back.
  thread.come(1, leaving.signal)
  const later = new AbortController()
  thread.come(1, later.signal)
  await thread.pass(100)
  later.abort()
  await thread.pass(1)
  assert.deepEqual([thread.begun, thread.left], [1_101, 501])
})

test('a thread that is busy with other work than sending delays no mail', async (t) => {
  const thread = new Thread(t)
  thread.busy = 1
  thread.sending = false
  thread.come(5_000)
  await thread.pass(1_000)
  assert.equal(await thread.pass(1_000), 1_000)
})
