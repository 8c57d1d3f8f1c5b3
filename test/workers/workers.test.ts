/** Workers: a fault costs the one task, and no task waits for those of another company. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type DeathCause, WorkerDied, WorkersBusy } from '../../src/workers/error.ts'
import { jobAt } from '../../src/workers/job.ts'
import { SMALL, Workers, type WorkersOptions } from '../../src/workers/workers.ts'
import { until } from '../support/until.ts'
import { held } from './held.ts'
import type { Order } from './hostile-job.ts'

const job = jobAt<Order, unknown>(new URL('./hostile-job.ts', import.meta.url))
const LARGE = SMALL + 1

function open(t: TestContext, options: WorkersOptions = {}): Workers {
  const workers = new Workers({ memory: 32, deadline: 60_000, threads: 2, ...options })
  t.after(() => workers.close())
  return workers
}

const small = (company: string) => ({ company, weight: 1 })
const large = (company: string) => ({ company, weight: LARGE })
const echo = (value: unknown): Order => ({ kind: 'echo', value })

const died = (cause: DeathCause) => (error: unknown) => error instanceof WorkerDied && error.cause === cause

test('a job gives its value, or throws with its message', async (t) => {
  const workers = open(t)
  assert.deepEqual(await workers.run(job, echo({ a: [1] }), small('a')), { a: [1] })
  await assert.rejects(workers.run(job, { kind: 'throw', message: 'no good' }, small('a')), {
    name: 'TypeError',
    message: 'no good',
  })
  await assert.rejects(workers.run(job, { kind: 'uncloneable' }, small('a')), /cannot cross threads/)
  assert.equal(await workers.run(job, echo(1), small('a')), 1)
})

test('octets are handed over in both directions', async (t) => {
  const workers = open(t)
  const value = new Uint8Array(100_000).fill(1)
  const { buffer } = value
  assert.deepEqual(
    await workers.run(job, echo(value), { ...large('a'), transfer: [buffer] }),
    new Uint8Array(100_000).fill(1),
  )
  assert.equal(buffer.byteLength, 0)
  assert.deepEqual(
    await workers.run(job, { kind: 'octets', length: 10 }, small('a')),
    new Uint8Array(10).fill(7),
  )
})

test('many small tasks at once are all answered, each with its own value', async (t) => {
  const workers = open(t)
  const values = Array.from({ length: 500 }, (_, index) => index)
  assert.deepEqual(
    await Promise.all(values.map((value) => workers.run(job, echo(value), small('a')))),
    values,
  )
})

for (const [kind, cause, options] of [
  ['memory', 'memory', {}],
  ['loop', 'time', { deadline: 300 }],
  ['exit', 'crash', {}],
] as const) {
  test(`a task that ends its worker (${kind}) costs no other task anything, and is not tried again`, async (t) => {
    const deaths: string[] = []
    const workers = open(t, { ...options, onDeath: (cause) => deaths.push(cause) })
    const first = workers.run(job, echo('first'), small('a'))
    const fatal = workers.run(job, { kind }, small('a'))
    const behind = Array.from({ length: 100 }, (_, index) => workers.run(job, echo(index), small('b')))
    await assert.rejects(fatal, died(cause))
    assert.equal(await first, 'first')
    assert.deepEqual(
      await Promise.all(behind),
      behind.map((_, index) => index),
    )
    assert.deepEqual(deaths, [cause])
    await assert.rejects(workers.run(job, { kind }, large('a')), died(cause))
    assert.equal(await workers.run(job, echo('again'), large('a')), 'again')
    assert.deepEqual(deaths, [cause, cause])
  })
}

test('a task whose input was lost with a worker that died of another task may be tried again', async (t) => {
  const workers = open(t, { deadline: 300 })
  const running = held('first')
  const first = workers.run(job, running.order, small('a'))
  const value = new Uint8Array(1_000)
  const fatal = workers.run(job, { kind: 'loop' }, small('a'))
  const bystander = workers.run(job, echo(value), { ...small('b'), transfer: [value.buffer] })
  running.release()
  assert.equal(await first, 'first')
  await Promise.all([
    assert.rejects(fatal, died('time')),
    assert.rejects(bystander, (error) => error instanceof WorkersBusy),
  ])
})

test('a task of a batch is answered while a slow one behind it is not done', async (t) => {
  const workers = open(t)
  const running = held('running')
  const first = workers.run(job, running.order, small('a'))
  const slow = held('slow')
  // These three share a message, because they wait for the same worker.
  const done = workers.run(job, { kind: 'busy', ms: 50 }, small('b'))
  const behind = workers.run(job, slow.order, small('c'))
  running.release()
  assert.equal(await first, 'running')
  assert.equal(await done, 50)
  slow.release()
  assert.equal(await behind, 'slow')
})

/** The threads that are started from here on. */
function threadsOf(t: TestContext): Set<Worker> {
  const threads = new Set<Worker>()
  const note = (thread: Worker) => threads.add(thread)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return threads
}

test('a task that finishes while its thread is being ended gets no blame, and neither does another', async (t) => {
  const threads = threadsOf(t)
  const deaths: string[] = []
  const workers = open(t, { deadline: 20, onDeath: (cause) => deaths.push(cause) })
  const running = held('running')
  const first = workers.run(job, running.order, small('a'))
  // These share a message, because they wait for the same worker.
  const late = held('late')
  const innocent = held('innocent')
  const condemned = workers.run(job, late.order, small('b'))
  const behind = workers.run(job, innocent.order, small('c'))
  await until(() => threads.size === 1, 'the thread')
  const [thread] = threads
  const terminate = thread!.terminate.bind(thread)
  const ending = t.mock.method(thread!, 'terminate', async () => {
    const answered = new Promise((resolve) => thread!.once('message', resolve))
    late.release()
    await answered
    await until(innocent.begun, 'the next task')
    ending.mock.restore()
    thread!.once('exit', innocent.release)
    return await terminate()
  })
  running.release()
  assert.equal(await first, 'running')
  assert.equal(await condemned, 'late')
  assert.equal(await behind, 'innocent')
  assert.deepEqual([deaths, threads.size], [['time'], 2])
})

test('a module may take long to load behind a task of an old message', async (t) => {
  const channel = new BroadcastChannel('slow-module')
  t.after(() => channel.close())
  const deaths: string[] = []
  const workers = open(t, { onDeath: (cause) => deaths.push(cause) })
  const slow = jobAt<null, string>(new URL('./slow-module.ts', import.meta.url))
  const running = held('running')
  const first = workers.run(job, running.order, small('a'))
  const before = held('before')
  const done = workers.run(job, before.order, small('b'))
  const loading = new Promise((resolve) => {
    channel.onmessage = resolve
  })
  const loaded = workers.run(slow, null, small('c'))
  running.release()
  assert.equal(await first, 'running')
  // The message gets old.
  const now = performance.now.bind(performance)
  let looks = 0
  t.mock.method(performance, 'now', () => {
    looks++
    return now() + 60_000
  })
  before.release()
  await Promise.all([done, loading])
  const looked = looks
  await until(() => looks > looked + 2, 'looks at the worker')
  channel.postMessage('go')
  assert.equal(await loaded, 'loaded')
  assert.deepEqual(deaths, [])
})

test('a job that cannot be loaded is an error of its own', async (t) => {
  const workers = open(t)
  const missing = jobAt<null, null>(new URL('./there-is-none.ts', import.meta.url))
  await assert.rejects(workers.run(missing, null, small('a')), /there-is-none/)
  assert.equal(await workers.run(job, echo(1), small('a')), 1)
})

test('a small task does not wait for large ones', async (t) => {
  const workers = open(t)
  const { order, release } = held('large')
  const waiting = [workers.run(job, order, large('a')), workers.run(job, order, large('b'))]
  assert.equal(await workers.run(job, echo('small'), small('c')), 'small')
  release()
  assert.deepEqual(await Promise.all(waiting), ['large', 'large'])
})

test('companies take turns', async (t) => {
  const workers = open(t)
  const done: string[] = []
  const { order, release } = held(null)
  const tasks = [workers.run(job, order, large('a'))]
  for (const [company, value] of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((value) => [value[0]!, value])) {
    tasks.push(workers.run(job, echo(value), large(company!)).then((value) => done.push(String(value))))
  }
  release()
  await Promise.all(tasks)
  assert.deepEqual(done, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('the parties of a company take its turns by turns, and none of them fills its places', async (t) => {
  const workers = open(t)
  const { order, release } = held(null)
  const first = workers.run(job, order, large('b'))
  const done: string[] = []
  const queue = (name: string, party: string) =>
    workers.run(job, echo(name), { ...large('a'), party }).then(() => void done.push(name))
  const names = Array.from({ length: 100 }, (_, index) => `flood${index}`)
  const flood = Promise.allSettled(names.map((name) => queue(name, 'flood')))
  const others = ['x', 'y'].map((party) => queue(party, party))
  const last = workers.run(job, echo('c'), large('c')).then(() => void done.push('c'))
  release()
  await Promise.all([first, last, ...others])
  assert.deepEqual(done, ['flood0', 'c', 'x', 'y'])
  assert.equal((await flood).filter(({ status }) => status === 'rejected').length, 50)
})

test('a company with large tasks leaves a worker to the next one', async (t) => {
  const workers = open(t, { threads: 3 })
  const { order, release } = held(null)
  const own = [workers.run(job, order, large('a')), workers.run(job, order, large('a'))]
  assert.equal(await workers.run(job, echo('b'), large('b')), 'b')
  release()
  await Promise.all(own)
})

test('waiting tasks of one company are bounded, and cost no other company', async (t) => {
  const workers = open(t)
  const { order, release } = held(null)
  const first = workers.run(job, order, large('a'))
  const waiting: Promise<unknown>[] = []
  let refused: unknown
  for (let index = 0; index < 1_000 && refused === undefined; index++) {
    const task = workers.run(job, echo(index), large('a'))
    waiting.push(task)
    task.catch((error) => {
      refused ??= error
    })
    await null
    await null
  }
  assert.ok(refused instanceof WorkersBusy)
  assert.ok(refused.retryAfter > 0)
  const patient = workers.run(job, echo('patient'), { ...large('a'), patient: true })
  const other = workers.run(job, echo('other'), large('b'))
  release()
  assert.equal(await other, 'other')
  assert.equal(await patient, 'patient')
  await first
  assert.equal((await Promise.allSettled(waiting)).filter(({ status }) => status === 'rejected').length, 1)
})

test('a task that has waited too long is not begun', async (t) => {
  const workers = open(t, { patience: 0 })
  const { order, release } = held('done')
  const first = workers.run(job, order, { ...large('a'), patient: true })
  const late = workers.run(job, echo('late'), large('b'))
  release()
  await assert.rejects(late, WorkersBusy)
  assert.equal(await first, 'done')
})

test('a thread ends when it has long had nothing to do, and another takes its place', async (t) => {
  const threads = threadsOf(t)
  const workers = open(t, { idle: 1 })
  assert.equal(await workers.run(job, echo(1), large('a')), 1)
  const [thread] = threads
  await new Promise((resolve) => thread!.once('exit', resolve))
  assert.equal(await workers.run(job, echo(2), large('a')), 2)
  assert.equal(threads.size, 2)
})

test('a thread that dies with nothing to do fails no task', async (t) => {
  const threads = threadsOf(t)
  const workers = open(t)
  await Promise.all([workers.run(job, echo(1), small('a')), workers.run(job, echo(1), large('a'))])
  assert.equal(threads.size, 2)
  for (const thread of threads) thread.emit('error', new Error('nothing to do with the work'))
  await Promise.all([...threads].map((thread) => thread.terminate()))
  assert.equal(await workers.run(job, echo(2), small('a')), 2)
  assert.equal(await workers.run(job, echo(3), large('a')), 3)
})

test('tasks given before the end are done, and later ones are not', async () => {
  const workers = new Workers()
  const tasks = Array.from({ length: 50 }, (_, index) =>
    workers.run(job, echo(index), index % 2 ? small('a') : large('a')),
  )
  await workers.close()
  assert.deepEqual(
    await Promise.all(tasks),
    tasks.map((_, index) => index),
  )
  await assert.rejects(workers.run(job, echo(1), small('a')), WorkersBusy)
})
