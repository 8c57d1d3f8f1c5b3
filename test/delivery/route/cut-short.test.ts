/** Deliveries that make room for other mail: at which point of a session they do, and what becomes of their recipients. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Step } from '../../support/sink.ts'
import { deliveryTo, startRig, startSinks, wayBy } from './rig.ts'

const ZONE = {
  'x.test/MX': ['10 mx1.x.test', '20 mx2.x.test'],
  'mx1.x.test/A': ['127.0.0.2'],
  'mx2.x.test/A': ['127.0.0.3'],
}
const direct = { kind: 'direct' } as const

for (const step of ['connect', 'mail', 'rcpt', 'data'] as const satisfies readonly Step[]) {
  test(`a server that falls silent at ${step} makes room: its mail waits, and that is no attempt`, async (t) => {
    const sinks = await startSinks(t, {
      '127.0.0.2': { script: (moment) => (moment.step === step ? { hang: true } : undefined) },
      '127.0.0.3': {},
    })
    const { courier } = await startRig(t, direct, ZONE, { smtpPort: sinks.port, limits: { silence: 0 } })
    const delivery = deliveryTo(['jane@x.test'], { path: wayBy(direct) })
    const result = courier.deliver(delivery)
    const first = sinks.at('127.0.0.2')
    const at = { connect: 0, mail: 2, rcpt: 3, data: 4 }[step]
    await first.when(() => first.connections === 1 && first.dialogue.length >= at, `the step ${step}`)
    await first.when(() => {
      courier.cutShort(delivery, assert.fail)
      return first.open === 0
    }, 'the end of the session')
    const { outcomes, pathTrouble, notBefore, dialogue } = await result
    assert.equal(outcomes[0]!.verdict, 'postponed')
    assert.match(
      outcomes[0]!.message,
      /^mx1\.x\.test \[127\.0\.0\.2\]:\d+ gave no answer within .* other mail$/,
    )
    assert.equal(pathTrouble?.kind, 'unreachable')
    assert.equal(notBefore, undefined, 'it was asked')
    assert.match(dialogue, /gave no answer/)
    assert.equal(sinks.at('127.0.0.3').connections, 0, 'no other server takes the session')
  })
}

test('a session waits for a server that has the message, even if other mail needs the session', async (t) => {
  const answer = Promise.withResolvers<undefined>()
  const dot = Promise.withResolvers<void>()
  const sinks = await startSinks(t, {
    '127.0.0.2': {
      script: ({ step }) => {
        if (step !== 'dot') return undefined
        dot.resolve()
        return answer.promise
      },
    },
    '127.0.0.3': {},
  })
  const { courier } = await startRig(t, direct, ZONE, { smtpPort: sinks.port, limits: { silence: 0 } })
  const delivery = deliveryTo(['jane@x.test'], { path: wayBy(direct) })
  const result = courier.deliver(delivery)
  await dot.promise
  let isAtDot = false
  await sinks.at('127.0.0.2').when(() => {
    courier.cutShort(delivery, () => {
      isAtDot = true
    })
    return isAtDot
  }, 'the final dot')
  answer.resolve(undefined)
  assert.equal((await result).outcomes[0]!.verdict, 'delivered')
})

test('a server that answers all the time is not cut short', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.2': {}, '127.0.0.3': {} })
  const { courier } = await startRig(t, direct, ZONE, { smtpPort: sinks.port })
  const sink = sinks.at('127.0.0.2')
  const delivery = deliveryTo(['jane@x.test'], { path: wayBy(direct) })
  sink.script = () => {
    courier.cutShort(delivery, () => {})
    return undefined
  }
  assert.equal((await courier.deliver(delivery)).outcomes[0]!.verdict, 'delivered')
})

test('a server that lets a client wait for some seconds before its greeting is not cut short', async (t) => {
  const connected = Promise.withResolvers<void>()
  const greeting = Promise.withResolvers<undefined>()
  const sinks = await startSinks(t, {
    '127.0.0.2': {
      script: ({ step }) => {
        if (step !== 'connect') return undefined
        connected.resolve()
        return greeting.promise
      },
    },
    '127.0.0.3': {},
  })
  const { courier } = await startRig(t, direct, ZONE, { smtpPort: sinks.port })
  const delivery = deliveryTo(['jane@x.test'], { path: wayBy(direct) })
  const result = courier.deliver(delivery)
  await connected.promise
  courier.cutShort(delivery, assert.fail)
  greeting.resolve(undefined)
  assert.equal((await result).outcomes[0]!.verdict, 'delivered')
})

test('a server whose delivery was cut short gets other mail at once', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.2': {}, '127.0.0.3': {} })
  const { courier } = await startRig(t, direct, ZONE, { smtpPort: sinks.port, limits: { silence: 0 } })
  const first = sinks.at('127.0.0.2')
  first.script = ({ step }) => (step === 'connect' ? { hang: true } : undefined)
  const delivery = deliveryTo(['jane@x.test'], { path: wayBy(direct) })
  const result = courier.deliver(delivery)
  await first.when(() => first.connections === 1, 'the connection')
  courier.cutShort(delivery, assert.fail)
  assert.equal((await result).outcomes[0]!.verdict, 'postponed')
  first.script = () => undefined
  const next = await courier.deliver(deliveryTo(['joe@x.test'], { path: wayBy(direct) }))
  assert.equal(next.outcomes[0]!.verdict, 'delivered')
  assert.match(next.server!, /^mx1/)
})
