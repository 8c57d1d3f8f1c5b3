/** Stopping: transactions under way may finish, other deliveries are released, and no connection stays open. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Reaction, Step } from '../../support/sink.ts'
import { relayAt, startRig, startSinks } from './rig.ts'

/** A relay that stops at `step` until the test lets it go on. */
async function startPausing(t: TestContext, step: Step) {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const sink = sinks.at('127.0.0.1')
  const reached = Promise.withResolvers<void>()
  const resume = Promise.withResolvers<Reaction | undefined>()
  sink.script = (moment) => {
    if (moment.step !== step) return undefined
    reached.resolve()
    return resume.promise
  }
  const rig = await startRig(t, relayAt(sinks.port))
  const delivering = rig.outcome('jane@x.test')
  await reached.promise
  return { ...rig, sink, delivering, resume: resume.resolve }
}

test('a transaction under way is finished', async (t) => {
  const { courier, delivering, resume, sink } = await startPausing(t, 'dot')
  const closing = courier.close(30_000)
  resume(undefined)
  assert.equal((await delivering).verdict, 'delivered')
  await closing
  assert.equal(sink.messages.length, 1)
})

test('a message whose answer is late is uncertain', async (t) => {
  const { courier, delivering } = await startPausing(t, 'dot')
  await courier.close(20)
  const { verdict, message, category } = await delivering
  assert.deepEqual([verdict, category], ['uncertain', 'other'])
  assert.match(message, /:\d+ had the message when Postroad was stopped; the recipient may get it twice$/)
})

for (const step of ['mail', 'rcpt', 'data'] as const) {
  test(`a transaction that hangs at ${step} is released when the time is over`, async (t) => {
    const { courier, delivering } = await startPausing(t, step)
    await courier.close(20)
    assert.equal((await delivering).verdict, 'released')
  })
}

for (const step of ['connect', 'ehlo'] as const) {
  test(`the opening of a session (${step}) is aborted at once`, async (t) => {
    const { courier, delivering } = await startPausing(t, step)
    const closing = courier.close(30_000)
    assert.equal((await delivering).verdict, 'released')
    await closing
  })
}

test('later deliveries are released, and the simulator still answers', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { courier, outcome } = await startRig(t, relayAt(sinks.port))
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  await courier.close(1000)
  assert.equal((await outcome('jane@x.test')).verdict, 'released')
  assert.equal((await outcome('delivered@simulator.test')).verdict, 'delivered')
  assert.equal(sinks.at('127.0.0.1').connections, 1)
})

test('idle connections send QUIT', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const sink = sinks.at('127.0.0.1')
  const { courier, outcome } = await startRig(t, relayAt(sinks.port))
  await outcome('jane@x.test')
  await courier.close(1000)
  await sink.when(() => sink.dialogue.some((line) => line.endsWith('C: QUIT')), 'QUIT')
})

test('closing twice does no harm', async (t) => {
  const { courier } = await startRig(t, relayAt(9))
  await Promise.all([courier.close(1000), courier.close(1000)])
})
