import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { ThreadCall } from '../../src/store/sqlite/protocol.ts'
import { StoreThread } from '../../src/store/sqlite/thread.ts'
import { StoreUnavailable } from '../../src/store/store.ts'

interface Fragile {
  echo(value: string): string[]
  exit(): void
  throw(): void
}

interface Limits {
  maxCalls?: number
  maxWeight?: number
  patience?: number
  path?: string
}

function fragile(t: TestContext, limits: Limits = {}) {
  const { maxCalls = 100, maxWeight = 1_000, patience = 0, path = 'a.db' } = limits
  const module = new URL('./fragile-thread.ts', import.meta.url)
  const thread = new StoreThread<ThreadCall<Fragile>>({
    module,
    name: 'fragile',
    path,
    file: '',
    maxCalls,
    maxWeight,
    patience,
    onChanged() {},
    onDamage() {},
    serve: null,
  })
  t.after(() => thread.close())
  return thread
}

const echo = (value: string): { name: 'echo'; args: [string] } => ({ name: 'echo', args: [value] })

describe('a thread of the store', () => {
  for (const end of ['exit', 'throw'] as const) {
    test(`that ends by ${end} fails the calls under way, and is replaced for later calls`, async (t) => {
      const thread = fragile(t)
      await thread.open()
      // Awaited from the start: the thread may have ended before the next turn of the event loop.
      const lost = [thread.call({ name: end, args: [] }), thread.call(echo('lost'))].map((call) =>
        assert.rejects(call, (error) => {
          assert.ok(error instanceof StoreUnavailable, String(error))
          assert.match(error.message, /ended unexpectedly.*started again/)
          return true
        }),
      )
      await new Promise(setImmediate)
      const after = thread.call(echo('kept'))
      await Promise.all(lost)
      assert.deepEqual(await after, ['kept'])
      assert.deepEqual(await thread.call(echo('again')), ['again'])
    })
  }

  test('that dies after it has answered still delivers its answer', async (t) => {
    const workers: Worker[] = []
    const note = (worker: Worker) => {
      workers.push(worker)
    }
    process.on('worker', note)
    t.after(() => process.off('worker', note))
    const thread = fragile(t)
    await thread.open()
    const first = thread.call(echo('first'))
    await Promise.resolve()
    // Node.js may report the error before it delivers earlier messages of the thread.
    workers[0]!.emit('error', new Error('a fault of the program'))
    const second = thread.call(echo('second'))
    assert.deepEqual(await first, ['first'])
    assert.deepEqual(await second, ['second'])
    await workers[0]!.terminate()
    assert.deepEqual(await thread.call(echo('third')), ['third'])
    assert.equal(workers.length, 2)
  })

  test('that cannot open the database rejects the call, and tries again with the next call', async (t) => {
    const thread = fragile(t, { path: 'refuses' })
    await assert.rejects(thread.open(), /cannot be opened/)
    await assert.rejects(thread.call(echo('a')), /cannot be opened/)
    await assert.rejects(thread.call(echo('b')), /cannot be opened/)
  })

  test('takes calls that arrive together as one batch, within the limits', async (t) => {
    const thread = fragile(t, { maxCalls: 10, maxWeight: 100 })
    await thread.open()
    const before = thread.commits
    const light = Array.from({ length: 25 }, (_, n) => thread.call(echo(`${n}`), { weight: 1 }))
    assert.deepEqual(
      await Promise.all(light),
      light.map((_, n) => [`${n}`]),
    )
    assert.equal(thread.commits - before, 3)
    await Promise.all([60, 60, 30, 500, 1].map((weight) => thread.call(echo('x'), { weight })))
    assert.equal(thread.commits - before, 3 + 4)
  })

  test('keeps patient calls until another call comes, they are many, or the thread closes', async (t) => {
    const thread = fragile(t, { maxCalls: 3, patience: 3_600_000 })
    await thread.open()
    const patient = (value: string) => thread.call(echo(value), { patient: true })
    assert.deepEqual(await patient('alone, after a long time without any'), [
      'alone, after a long time without any',
    ])
    const before = thread.commits
    await Promise.all([patient('a'), patient('b'), thread.call(echo('urgent'))])
    assert.equal(thread.commits - before, 1)
    await Promise.all([patient('c'), patient('d'), patient('e')])
    assert.equal(thread.commits - before, 2)
    const last = patient('f')
    await thread.close()
    assert.deepEqual(await last, ['f'])
  })
})
