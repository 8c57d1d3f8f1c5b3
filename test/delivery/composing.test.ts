/** Workers compose large messages to the same bytes, and a crash of a worker is reported. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import { UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { prepareLargeInWorker } from '../../src/delivery/composing.ts'
import type { Courier, Delivery } from '../../src/delivery/delivery.ts'
import { prepareMessage } from '../../src/delivery/prepare.ts'
import { RouteCourier } from '../../src/delivery/route-courier.ts'
import { ThreadedCourier } from '../../src/delivery/thread/threaded-courier.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { createLogger } from '../../src/log.ts'
import { Workers, type WorkersOptions } from '../../src/workers/workers.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { boundaries, content, deliveryTo, wayBy } from './route/rig.ts'

const ALL = { eightBitMime: true, smtpUtf8: true }
const NONE = { eightBitMime: false, smtpUtf8: false }
const MB = 1_048_576
const header = 'From: news@acme.test\r\nTo: jane@x.test\r\nSubject: raw\r\nMIME-Version: 1.0\r\n'

function open(t: TestContext, options: WorkersOptions = {}): Workers {
  const workers = new Workers(options)
  t.after(() => workers.close())
  return workers
}

function raw(text: string): Delivery['message'] {
  return { kind: 'raw', raw: Buffer.from(text), date: content.date, addressee: null }
}

const file = {
  filename: 'a.bin',
  contentType: 'application/octet-stream',
  disposition: 'attachment',
} as const
const addressee = { address: 'jane@x.test', name: 'Jane', variables: { long: 'y'.repeat(1_000) } }
const large: Record<string, Delivery['message']> = {
  'a long text': { kind: 'parts', content: { ...content, text: 'Grüße, long.\n'.repeat(40_000) } },
  'lines of dots': { kind: 'parts', content: { ...content, text: '.\n..\n'.repeat(100_000) } },
  'octets of a long text': {
    kind: 'parts',
    content: { ...content, text: Buffer.from('Grüße, %recipient.long%\n'.repeat(60_000)) },
    addressee: { ...addressee, variables: { long: 'y' } },
  },
  'a large file': {
    kind: 'parts',
    content: { ...content, attachments: [{ ...file, content: new Uint8Array(MB).fill(7) }] },
  },
  'a copy that grows': {
    kind: 'parts',
    content: { ...content, text: '%recipient.long%\n'.repeat(1_000) },
    addressee,
  },
  'a ready message': raw(`${header}\r\n${'hello\r\n'.repeat(50_000)}`),
  'a ready message of eight bits': raw(
    `${header}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${'Grüße\r\n'.repeat(50_000)}`,
  ),
}

for (const [name, message] of Object.entries(large)) {
  test(`${name} is composed by a worker, to the same bytes`, async (t) => {
    const delivery = deliveryTo(['jane@x.test'], { message })
    const elsewhere = prepareLargeInWorker(open(t), boundaries)(delivery)
    assert.ok(elsewhere !== null)
    const here = prepareMessage(delivery, { boundaries })
    for (const capabilities of [ALL, NONE, ALL]) {
      const { chunks, stuffed, ...rest } = await elsewhere(capabilities)
      const expected = await here(capabilities)
      assert.ok(Buffer.concat(chunks).equals(Buffer.concat(expected.chunks)))
      assert.deepEqual({ ...rest, chunks: expected.chunks }, expected)
      assert.ok(stuffed !== undefined)
    }
  })
}

test('a small message is composed by the thread that sends it', (t) => {
  const elsewhere = prepareLargeInWorker(open(t), boundaries)
  assert.equal(elsewhere(deliveryTo(['jane@x.test'])), null)
})

for (const threads of [0, 1]) {
  const where = threads === 0 ? 'the main thread' : 'a delivery thread'

  test(`${where} sends a message that a worker has composed, to several servers as well`, async (t) => {
    const { courier, sink } = await relayed(t, threads, open(t))
    const delivery = deliveryTo(['jane@x.test'], { message: large['lines of dots']! })
    const results = await Promise.all([courier.deliver(delivery), courier.deliver(delivery)])
    assert.deepEqual(
      results.map(({ outcomes, died }) => [outcomes[0]!.verdict, died]),
      [
        ['delivered', undefined],
        ['delivered', undefined],
      ],
    )
    const expected = Buffer.concat((await prepareMessage(delivery, { boundaries })(ALL)).chunks)
    assert.equal(sink.messages.length, 2)
    for (const { raw } of sink.messages) assert.ok(expected.equals(raw))
  })

  test(`${where} reports that composing crashed a worker`, async (t) => {
    // A worker that may work for a millisecond dies of megabytes.
    const message: Delivery['message'] = {
      kind: 'parts',
      content: { ...content, text: 'Grüße, long.\n'.repeat(2_000_000) },
    }
    const { courier, sink } = await relayed(t, threads, open(t, { deadline: 1 }))
    const result = await courier.deliver(deliveryTo(['jane@x.test'], { message }))
    assert.equal(result.died, 'time')
    assert.equal(result.outcomes[0]!.verdict, 'deferred')
    assert.match(result.outcomes[0]!.message, /took longer than allowed/)
    assert.equal(sink.messages.length, 0)
  })
}

async function relayed(
  t: TestContext,
  threads: number,
  workers: Workers,
): Promise<{ courier: Courier; sink: Sink }> {
  const sink = await startSink()
  const right = new SendingRight()
  right.grant(1, Number.POSITIVE_INFINITY)
  const route = parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`)
  const options = {
    smtpPort: 25,
    allowPrivateNetworks: true,
    sourceAddresses: [],
    retrySchedule: [120_000],
  }
  const elsewhere = prepareLargeInWorker(workers, boundaries)
  const courier =
    threads > 0
      ? new ThreadedCourier(
          threads,
          {
            ...options,
            dnsServers: [],
            dnsValidating: [],
            boundarySecret: Buffer.alloc(32, 1),
            returnPathSecret: Buffer.alloc(32, 2),
            right: right.shared,
            unrecorded: UnrecordedMessages.shared(64, threads),
          },
          createLogger('silent'),
          elsewhere,
        )
      : new RouteCourier({
          ...options,
          boundaries,
          right,
          resolver: new Resolver({ servers: [] }),
          log: createLogger('silent'),
          elsewhere,
        })
  t.after(async () => {
    await courier.close(1_000)
    await sink.close()
  })
  const deliver = (delivery: Delivery) => courier.deliver({ ...delivery, path: wayBy(route) })
  return { courier: { deliver, close: (ms) => courier.close(ms) }, sink }
}
