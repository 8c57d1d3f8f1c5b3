import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryRoute } from '../../../src/config/settings.ts'
import { deliveryTo, emailSent, relayAt, startRig, startSinks, wayBy } from './rig.ts'

const ROUTES: DeliveryRoute[] = [{ kind: 'capture' }, { kind: 'direct' }, relayAt(9)]

/** Tests of applications have these built in. */
const ALSO_AT_RESEND = [
  ['delivered', 'delivered'],
  ['bounced', 'bounced'],
  ['complained', 'delivered'],
  ['suppressed', 'suppressed'],
]

for (const route of ROUTES) {
  test(`simulator addresses work in the mode ${route.kind}`, async (t) => {
    const { outcome, dns } = await startRig(t, route)
    const delivered = await outcome('delivered@simulator.test')
    assert.equal(delivered.verdict, 'delivered')
    assert.equal(delivered.code, 250)

    const bounced = await outcome('bounced@simulator.test')
    assert.equal(bounced.verdict, 'bounced')
    assert.equal(bounced.code, 550)
    assert.equal(bounced.enhancedCode, '5.1.1')
    assert.equal(bounced.suppress ?? false, false)

    const complained = await outcome('complained@simulator.test')
    assert.equal(complained.verdict, 'delivered')
    assert.equal(complained.complained, true)

    const suppressed = await outcome('suppressed@simulator.test')
    assert.equal(suppressed.verdict, 'suppressed')

    for (const [name, verdict] of ALSO_AT_RESEND) {
      assert.equal((await outcome(`${name}@resend.dev`)).verdict, verdict)
      assert.equal((await outcome(`${name}+label@Resend.dev`)).verdict, verdict)
    }
    assert.deepEqual(dns.queries, [])
  })
}

test('delayed@ is deferred at the first attempt and delivered afterwards', async (t) => {
  const { courier } = await startRig(t, { kind: 'capture' })
  const attempt = async (attempts: number) => {
    const delivery = deliveryTo([], { path: wayBy({ kind: 'capture' }, 'simulator') })
    delivery.recipients = [{ position: 3, address: 'delayed+x@simulator.test', attempts }]
    return (await courier.deliver(delivery)).outcomes[0]!
  }
  const first = await attempt(0)
  assert.equal(first.verdict, 'deferred')
  assert.equal(first.position, 3)
  assert.equal((await attempt(1)).verdict, 'delivered')
})

test('labels and capitals make no difference', async (t) => {
  const { outcome } = await startRig(t, { kind: 'capture' })
  assert.equal((await outcome('bounced+order-42@simulator.test')).verdict, 'bounced')
  assert.equal((await outcome('Delivered+a+b@Simulator.Test')).verdict, 'delivered')
})

test('an unknown address bounces, and the error names the known ones', async (t) => {
  const { outcome } = await startRig(t, { kind: 'capture' })
  for (const address of ['jane@simulator.test', 'constructor@simulator.test', 'bounced.x@simulator.test']) {
    const { verdict, code, enhancedCode, message, suppress } = await outcome(address)
    assert.deepEqual(
      { verdict, code, enhancedCode },
      { verdict: 'bounced', code: 550, enhancedCode: '5.1.1' },
    )
    assert.equal(suppress ?? false, false)
    assert.ok(message.includes(address))
    for (const name of ['delivered', 'bounced', 'complained', 'delayed', 'suppressed']) {
      assert.ok(message.includes(`${name}@simulator.test`), message)
    }
  }
})

test('an unknown address at resend.dev bounces like one at simulator.test', async (t) => {
  const { outcome, dns } = await startRig(t, { kind: 'direct' })
  const { verdict, message } = await outcome('jane@resend.dev')
  assert.equal(verdict, 'bounced')
  assert.ok(message.includes('delivered@resend.dev'), message)
  assert.deepEqual(dns.queries, [])
})

test('test mode ends as delivered whatever the address, and nothing is sent', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port))
  const { outcomes } = await deliver(['jane@x.test', 'bounced@simulator.test'], {
    email: { ...emailSent, testMode: true },
  })
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    ['delivered', 'delivered'],
  )
  assert.equal(sinks.at('127.0.0.1').connections, 0)
})
