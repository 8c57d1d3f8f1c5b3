import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { content, deliveryTo, publishedKeys, startRig } from './rig.ts'

test('the captured message is the one that would have been sent: composed, signed, without Bcc', async (t) => {
  const { deliver } = await startRig(t, { kind: 'capture' })
  const { outcomes, captured, server } = await deliver(['jane@x.test', 'hidden@y.test'])
  assert.deepEqual(
    outcomes.map(({ position, verdict, message }) => ({ position, verdict, message })),
    [
      { position: 0, verdict: 'delivered', message: 'Captured' },
      { position: 1, verdict: 'delivered', message: 'Captured' },
    ],
  )
  assert.equal(server, 'capture')
  const text = Buffer.from(captured!).toString('latin1')
  assert.match(text, /^DKIM-Signature: /)
  assert.match(text, /\r\nMessage-ID: <one@acme\.test>\r\n/i)
  assert.doesNotMatch(text, /hidden@y\.test/)
  assert.equal((await verifyDkim(Buffer.from(captured!), publishedKeys)).pass, true)
})

test('the same delivery gives the same bytes at every attempt', async (t) => {
  const { deliver } = await startRig(t, { kind: 'capture' })
  const first = await deliver(['jane@x.test'])
  const second = await deliver(['jane@x.test'])
  assert.deepEqual(first.captured, second.captured)
})

test('a message that cannot be composed waits, with the reason', async (t) => {
  const { courier, log } = await startRig(t, { kind: 'capture' })
  const broken = { kind: 'parts', content: { ...content, from: 'nobody' } } as const
  const result = await courier.deliver(deliveryTo(['jane@x.test'], { message: broken }))
  const outcome = result.outcomes[0]!
  assert.equal(outcome.verdict, 'deferred')
  assert.match(outcome.message, /^Internal error, the delivery will be attempted again: .+/)
  assert.equal(result.captured, undefined)
  assert.equal(log[0]?.level, 'error')
})

test('nothing is captured after the service began to stop', async (t) => {
  const { courier, outcome } = await startRig(t, { kind: 'capture' })
  await courier.close(1000)
  assert.equal((await outcome('jane@x.test')).verdict, 'released')
})
