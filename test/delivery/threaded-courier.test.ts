import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import { UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'
import { monotonic } from '../../src/common/clock.ts'
import { postedLog } from '../../src/common/logging.ts'
import type { Courier, Delivery } from '../../src/delivery/delivery.ts'
import type { ToThread } from '../../src/delivery/thread/message.ts'
import { ThreadedCourier } from '../../src/delivery/thread/threaded-courier.ts'
import { startSink } from '../support/sink.ts'
import { relayAt, wayBy } from './route/rig.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

function delivery(number: number): Delivery {
  return {
    email: {
      id: `email ${number}`,
      companyId: 'company',
      sender: 'a@acme.test',
      returnPathHost: null,
      createdAt: 1_800_000_000_000,
      testMode: false,
      tls: null,
      tlsByMessage: false,
    },
    recipients: [{ position: 0, address: `to${number}@x.test`, attempts: 0 }],
    path: wayBy({ kind: 'capture' }),
    message: {
      kind: 'parts',
      content: {
        from: 'a@acme.test',
        to: [`to${number}@x.test`],
        cc: [],
        replyTo: [],
        subject: `Number ${number}`,
        text: 'It works.',
        headers: [],
        attachments: [],
        messageId: `<${number}@acme.test>`,
        date: 1_800_000_000_000,
      },
    },
    signing: [{ id: 'key', domain: 'acme.test', selector: 's', algorithm: 'rsa-sha256', privateKey }],
    preferredServer: null,
    preferredOnly: false,
    leaseToken: 1,
  }
}

test('deliveries are spread over threads and come back with their own results', async () => {
  const sink = await startSink()
  const courier = open(2, sink.port)
  try {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, number) => courier.deliver(delivery(number))),
    )
    assert.deepEqual(
      results.map(({ dialogue, outcomes }) => [/to\d+@/.exec(dialogue)![0], outcomes[0]!.verdict]),
      results.map((_, number) => [`to${number}@`, 'delivered']),
    )
    const subjects = sink.messages.map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString())![1]!.trim())
    assert.equal(new Set(subjects).size, 20)
    assert.ok(sink.messages.every(({ raw }) => raw.includes('DKIM-Signature:')))
  } finally {
    await courier.close(1_000)
    await sink.close()
  }
})

test('a delivery begins in the thread of the earlier one, behind its final dot', async (t) => {
  const held = Promise.withResolvers<void>()
  const sink = await startSink({
    link: 20,
    script: async ({ step, transaction }) => {
      if (step === 'dot' && transaction === 2) await held.promise
      return undefined
    },
  })
  const courier = open(2, sink.port)
  t.after(async () => {
    await courier.close(1_000)
    await sink.close()
  })
  const unheard = { onDot: () => {}, onApart: () => {} }
  await courier.deliver(delivery(1), { behind: null, ...unheard })
  const before = { ...delivery(2), path: wayBy(relayAt(sink.port, { tls: 'off' })) }
  const { promise: atDot, resolve: onDot } = Promise.withResolvers<void>()
  const first = courier.deliver(before, { behind: null, ...unheard, onDot })
  await atDot
  const second = courier.deliver(delivery(3), { behind: before, ...unheard })
  held.resolve()
  const [{ outcomes: of2 }, { outcomes: of3, dialogue }] = await Promise.all([first, second])
  assert.deepEqual([of2[0]!.verdict, of3[0]!.verdict], ['delivered', 'delivered'])
  assert.match(dialogue, /behind the message before.*\n.*MAIL FROM.*\n.*RCPT TO:<to3@x\.test>/)
  assert.equal(sink.connections, 1)
})

test('deliveries that are handed over together before a stop all return, done or untried, and none twice', async () => {
  const sink = await startSink()
  const courier = open(1, sink.port)
  try {
    // More than a thread begins in one turn of its event loop.
    const results = Promise.all(Array.from({ length: 50 }, (_, number) => courier.deliver(delivery(number))))
    await courier.close(10_000)
    const verdicts = (await results).map(({ outcomes }) => outcomes[0]!.verdict)
    const delivered = verdicts.filter((verdict) => verdict === 'delivered').length
    assert.equal(verdicts.filter((verdict) => verdict === 'released').length, 50 - delivered)
    assert.equal(sink.messages.length, delivered)
  } finally {
    await sink.close()
  }
})

test('a thread notices at once when the right to send ends, begins, or passes to another token', async () => {
  const sink = await startSink()
  const right = new SendingRight()
  const courier = open(1, sink.port, { right })
  const verdict = async () => (await courier.deliver(delivery(1))).outcomes[0]!.verdict
  try {
    assert.equal(await verdict(), 'released')
    right.grant(1, monotonic() - 1)
    assert.equal(await verdict(), 'released')
    right.grant(2, Number.POSITIVE_INFINITY)
    assert.equal(await verdict(), 'released')
    assert.equal(sink.messages.length, 0)
    right.grant(1, monotonic() + 60_000)
    assert.equal(await verdict(), 'delivered')
    right.end()
    assert.equal(await verdict(), 'released')
    assert.equal(sink.messages.length, 1)
  } finally {
    await courier.close(1_000)
    await sink.close()
  }
})

test('a thread forgets unused routes, and knows those of its deliveries', async (t) => {
  const posted = t.mock.method(Worker.prototype, 'postMessage')
  const courier = open(1, 1)
  t.after(() => courier.close(1_000))
  const rehearsal = delivery(1)
  rehearsal.email.testMode = true
  const by = (id: string): Delivery => {
    const path = wayBy({ kind: 'direct' }, 'simulator')
    return { ...rehearsal, path: { ...path, policy: { ...path.policy, id } } }
  }
  // The first of them is changed ten thousand times; what goes by the other is under way all the time.
  const ids = Array.from({ length: 20_200 }, (_, n) => (n % 2 === 0 ? `route ${n / 2}` : 'another'))
  const results = await Promise.all(ids.map((id) => courier.deliver(by(id))))
  assert.ok(results.every(({ outcomes }) => outcomes[0]!.verdict === 'delivered'))
  let remembered = 0
  let most = 0
  for (const { arguments: args } of posted.mock.calls) {
    const { kind } = args[0] as ToThread
    if (kind === 'forget') remembered = 0
    else if (kind === 'key' || kind === 'policy') remembered++
    most = Math.max(most, remembered)
  }
  assert.ok(most < 10_010, `${most} remembered`)
})

test('deliveries under way in a thread that crashes are uncertain, the crash is logged, and the next delivery gets a new thread', async () => {
  const told: string[] = []
  // A thread that cannot start dies with the deliveries it was given.
  const courier = open(1, 1, { dnsServers: ['no address'], log: (message) => void told.push(message) })
  for (const number of [1, 2]) {
    const { outcomes } = await courier.deliver(delivery(number))
    assert.equal(outcomes[0]!.verdict, 'uncertain')
    assert.match(outcomes[0]!.message, /crashed/)
    assert.equal(told.length, number)
  }
  await courier.close(1_000)
})

function always(): SendingRight {
  const right = new SendingRight()
  right.grant(1, Number.POSITIVE_INFINITY)
  return right
}

function open(
  threads: number,
  port: number,
  {
    dnsServers = [] as string[],
    log = (_message: string): void => {},
    right = always(),
    unrecorded = new UnrecordedMessages(UnrecordedMessages.shared(64, threads)),
  } = {},
): Courier {
  const courier = new ThreadedCourier(
    threads,
    {
      dnsServers,
      dnsValidating: [],
      smtpPort: 25,
      allowPrivateNetworks: false,
      sourceAddresses: [],
      retrySchedule: [120_000],
      boundarySecret: Buffer.alloc(32),
      returnPathSecret: Buffer.alloc(32),
      right: right.shared,
      unrecorded: unrecorded.shared,
    },
    postedLog(({ message }) => log(message)),
  )
  const path = wayBy(relayAt(port, { tls: 'off' }))
  return {
    deliver: (one, sharing) =>
      courier.deliver(one.path.site.kind === 'capture' ? { ...one, path } : one, sharing),
    close: (ms) => courier.close(ms),
  }
}
