/** The answer that a server owes to a delivery, asked of the delivery's thread while the server is silent. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import { UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'
import { postedLog } from '../../src/common/logging.ts'
import type { RelayRoute } from '../../src/config/settings.ts'
import { ThreadedCourier } from '../../src/delivery/thread/threaded-courier.ts'
import type { OwedStep } from '../../src/email/owed-answer.ts'
import { SilentPort } from '../support/silent-port.ts'
import { type Step, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { content, deliveryTo, emailSent, relayAt, wayBy } from './route/rig.ts'

const SILENT: Partial<Record<Step, OwedStep>> = {
  connect: 'greeting',
  ehlo: 'ehlo',
  starttls: 'starttls',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  body: 'message',
  dot: 'dot',
}

for (const [at, owed] of Object.entries(SILENT)) {
  test(`a server that goes silent at ${at} owes ${owed}`, async (t) => {
    await using sink = await startSink({
      tls: selfSigned(['127.0.0.1']),
      script: ({ step }) => (step === at ? { hang: true } : undefined),
    })
    // More than the buffers of both sides hold.
    const text = at === 'body' ? 'A line of the message\n'.repeat(1_000_000) : 'Hello'
    await assertOwed(t, relayAt(sink.port), owed, text)
  })
}

test('a server that takes no connection owes the connection', async (t) => {
  await using silent = await SilentPort.start()
  await assertOwed(t, relayAt(silent.port), 'connect')
})

test('a server that goes silent in the TLS handshake owes the handshake', async (t) => {
  await using sink = await startSink({
    script: ({ step }) => (step === 'connect' ? { hang: true } : undefined),
  })
  await assertOwed(t, relayAt(sink.port, { implicitTls: true }), 'tls')
})

async function assertOwed(t: TestContext, relay: RelayRoute, step: OwedStep, text = 'Hello'): Promise<void> {
  const before = Date.now()
  const courier = open(t)
  const path = wayBy(relay)
  const to = ['jane@x.test', 'joe@x.test']
  const message = { kind: 'parts', content: { ...content, text } } as const
  void courier.deliver(deliveryTo(to, { path, message }))
  const ask = (from: number, emailId = emailSent.id) => courier.owed({ emailId, from, limit: 100 })
  const owed = await until(
    async () => (await ask(0)).find((each) => each.step === step),
    `the server to owe ${step}`,
  )
  assert.equal(owed.server, `127.0.0.1 [127.0.0.1]:${relay.port}`)
  assert.deepEqual(owed.positions, [0, 1])
  assert.ok(owed.since >= before && owed.since <= Date.now() && owed.until > owed.since)
  assert.deepEqual(
    (await ask(1)).map(({ positions }) => positions),
    [[1]],
  )
  assert.deepEqual(await ask(2), [], 'of other recipients')
  assert.deepEqual(await ask(0, 'email-2'), [], 'of another email')
}

test('an email that has been delivered is owed nothing, though its session stays open', async (t) => {
  await using sink = await startSink()
  const courier = open(t)
  await courier.deliver(deliveryTo(['jane@x.test'], { path: wayBy(relayAt(sink.port, { tls: 'off' })) }))
  assert.equal(sink.open, 1)
  assert.deepEqual(await courier.owed({ emailId: emailSent.id, from: 0, limit: 100 }), [])
})

function open(t: TestContext): ThreadedCourier {
  const right = new SendingRight()
  right.grant(1, Number.POSITIVE_INFINITY)
  const courier = new ThreadedCourier(
    1,
    {
      dnsServers: [],
      dnsValidating: [],
      smtpPort: 25,
      allowPrivateNetworks: true,
      sourceAddresses: [],
      retrySchedule: [120_000],
      boundarySecret: Buffer.alloc(32),
      returnPathSecret: Buffer.alloc(32),
      right: right.shared,
      unrecorded: UnrecordedMessages.shared(64, 1),
    },
    postedLog(() => {}),
  )
  t.after(() => courier.close(1))
  return courier
}
