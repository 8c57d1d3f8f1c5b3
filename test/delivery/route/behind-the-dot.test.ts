/** The next delivery begins on the session of the one before, while that one waits for the answer to its final dot. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Delivery, DeliveryResult, SessionSharing } from '../../../src/delivery/delivery.ts'
import type { RouteCourier } from '../../../src/delivery/route-courier.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { deliveryTo, emailSent, relayAt, startRig, startSinks, wayBy } from './rig.ts'

/** Far enough for the next delivery to be worth it. Milliseconds there and back. */
const FAR_MS = 20

/** A delivery under way, and its callbacks. */
class Sent {
  readonly delivery: Delivery
  readonly result: Promise<DeliveryResult>
  readonly atDot: Promise<void>
  dots = 0
  parted = 0

  constructor(courier: RouteCourier, delivery: Delivery, behind: Sent | null = null) {
    this.delivery = delivery
    const { promise, resolve } = Promise.withResolvers<void>()
    this.atDot = promise
    const sharing: SessionSharing = {
      behind: behind?.delivery ?? null,
      onDot: () => {
        this.dots++
        resolve()
      },
      onApart: () => this.parted++,
    }
    this.result = courier.deliver(delivery, sharing)
  }

  async verdict(): Promise<string> {
    return (await this.result).outcomes.map(({ verdict }) => verdict).join(' ')
  }
}

/** A relay that is far away: each connection gets a message before the script goes on with it. */
async function farRelay(t: TestContext, script: (peer: Peer, number: number) => Promise<void>) {
  const server = await rawServer(async (peer, number) => {
    await peer.send('220 mx.example.test ESMTP\r\n')
    await peer.line()
    await pause(FAR_MS)
    await peer.send('250-mx.example.test\r\n250 PIPELINING\r\n')
    await envelope(peer)
    await peer.message()
    await peer.send('250 kept\r\n')
    await script(peer, number)
  })
  t.after(() => server[Symbol.asyncDispose]())
  const route = relayAt(server.port)
  const { courier } = await startRig(t, route)
  const path = wayBy(route)
  const to = (name: string, changes: Partial<Delivery> = {}) =>
    deliveryTo([`${name}@x.test`], { path, ...changes })
  const send = (name: string, behind: Sent | null = null, changes: Partial<Delivery> = {}) =>
    new Sent(courier, to(name, changes), behind)
  return { server, courier, path, send, first: () => send('first').verdict() }
}

async function envelope(peer: Peer): Promise<void> {
  for (let at = 0; at < 3; at++) await peer.line()
  await pause(FAR_MS)
  await peer.send('250 ok\r\n250 ok\r\n354 go\r\n')
}

test('answers arrive together, and each delivery has its own result', async (t) => {
  const { send, first, server } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    const [mail, recipient] = [await peer.line(), await peer.line(), await peer.line()]
    assert.equal(mail, 'MAIL FROM:<news@acme.test>')
    assert.equal(recipient, 'RCPT TO:<third@x.test>')
    await peer.send('250 second kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
    await peer.message()
    await peer.send('250 third kept\r\n')
  })
  assert.equal(await first(), 'delivered')
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  const [{ outcomes: of2 }, result] = [await second.result, await third.result]
  assert.equal(of2[0]!.message, '250 second kept')
  assert.equal(result.outcomes[0]!.message, '250 third kept')
  assert.match(result.dialogue, /behind the message before, on the open connection to 127\.0\.0\.1/)
  assert.equal(second.parted, 0)
  await server.finished()
  assert.equal(server.peers.length, 1)
})

test('nothing is sent behind the dot on a session that is new, near, slow at its dot or nearly used up', async (t) => {
  const { send, path } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    await pause(1_100)
    await peer.send('250 kept\r\n')
    await envelope(peer)
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  const fresh = send('fresh')
  assert.equal(await fresh.verdict(), 'delivered')
  assert.equal(fresh.dots, 0)
  const quick = send('quick')
  assert.equal(await quick.verdict(), 'delivered')
  assert.equal(quick.dots, 1)
  const slow = send('slow')
  assert.equal(await slow.verdict(), 'delivered')
  assert.equal(slow.dots, 0)

  const sinks = await startSinks(t, { '127.0.0.1': {}, '127.0.0.2': { link: FAR_MS } })
  const route = relayAt(sinks.port)
  const { courier } = await startRig(t, route)
  const near = async () => {
    const sent = new Sent(courier, deliveryTo(['a@x.test'], { path: wayBy(route) }))
    assert.equal(await sent.verdict(), 'delivered')
    return sent.dots
  }
  assert.deepEqual([await near(), await near(), await near()], [0, 0, 0])

  const far = relayAt(sinks.port, { host: '127.0.0.2' })
  const other = await startRig(t, far)
  const terms = { ...path.terms, messagesPerSession: 3 }
  const dots: number[] = []
  for (let at = 0; at < 4; at++) {
    const sent = new Sent(other.courier, deliveryTo(['a@x.test'], { path: { ...wayBy(far), terms } }))
    assert.equal(await sent.verdict(), 'delivered')
    dots.push(sent.dots)
  }
  assert.deepEqual(dots, [0, 1, 0, 0])
  assert.equal(sinks.at('127.0.0.2').connections, 2)
})

test('nothing is sent behind the dot at a site that does not allow it', async (t) => {
  const { send, first, path } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  await first()
  const terms = { ...path.terms, envelopeBehindDot: false }
  const second = send('second', null, { path: { ...path, terms } })
  assert.equal(await second.verdict(), 'delivered')
  assert.equal(second.dots, 0)
})

test('421 at the dot: the next delivery uses a new connection, and is sent once', async (t) => {
  const { send, first, server } = await farRelay(t, async (peer, number) => {
    if (number > 1) return
    await envelope(peer)
    await peer.message()
    for (let at = 0; at < 3; at++) await peer.line()
    await peer.send('421 4.3.2 closing\r\n')
    peer.end()
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  assert.equal(await second.verdict(), 'deferred')
  assert.equal(await third.verdict(), 'delivered')
  const heard = server.peers.map((peer) => peer.heard)
  assert.equal(heard.length, 2)
  assert.equal(heard[0]!.match(/^Subject:/gm)!.length, 2)
  assert.equal(heard[1]!.match(/^Subject:/gm)!.length, 1)
  assert.match(heard[1]!, /third@x\.test/)
})

test('nothing more is sent behind the dot of a server that hangs up there', async (t) => {
  const { send, first, server } = await farRelay(t, async (peer, number) => {
    if (number > 1) {
      await envelope(peer)
      await peer.message()
      await peer.send('250 kept\r\n')
      return
    }
    await envelope(peer)
    await peer.message()
    for (let at = 0; at < 3; at++) await peer.line()
    peer.end()
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  assert.equal(await second.verdict(), 'uncertain')
  assert.equal(await third.verdict(), 'delivered')
  const fourth = send('fourth')
  assert.equal(await fourth.verdict(), 'delivered')
  assert.equal(fourth.dots, 0)
  assert.equal(server.peers.length, 2)
})

for (const [name, answers] of [
  ['refuses it', '554 SMTP synchronization error\r\n'.repeat(3)],
  ['has enough of the session', '421 4.7.0 synchronization error\r\n'],
] as const) {
  test(`a server that ${name} is tried again on a new connection, with nothing behind its dots any more`, async (t) => {
    const { send, first, server } = await farRelay(t, async (peer, number) => {
      await envelope(peer)
      await peer.message()
      if (number === 1) {
        for (let at = 0; at < 3; at++) await peer.line()
        await peer.send(`250 second kept\r\n${answers}`)
        await peer.closed()
        return
      }
      await pause(FAR_MS)
      await peer.send('250 kept\r\n')
    })
    await first()
    const second = send('second')
    await second.atDot
    const third = send('third', second)
    assert.equal(await second.verdict(), 'delivered')
    const { outcomes, dialogue } = await third.result
    assert.equal(outcomes[0]!.verdict, 'delivered')
    assert.match(dialogue, name === 'refuses it' ? /did not take the envelope; opening/ : /closed meanwhile/)
    const fourth = send('fourth')
    assert.equal(await fourth.verdict(), 'delivered')
    assert.equal(fourth.dots, 0)
    const heard = server.peers.map((peer) => peer.heard)
    assert.equal(heard.length, 2)
    assert.equal(heard[0]!.match(/^Subject:/gm)!.length, 2)
    assert.equal(heard[1]!.match(/^Subject:/gm)!.length, 2)
  })
}

test('a sender that is refused behind a dot is tried again, and then refused', async (t) => {
  const refusal = '550 5.7.1 not you\r\n503 5.5.1 no\r\n503 5.5.1 no\r\n'
  const server = await rawServer(async (peer, number) => {
    await peer.send('220 mx.example.test ESMTP\r\n')
    await peer.line()
    await pause(FAR_MS)
    await peer.send('250-mx.example.test\r\n250 PIPELINING\r\n')
    if (number === 1) {
      for (let at = 0; at < 2; at++) {
        await envelope(peer)
        await peer.message()
        if (at === 0) await peer.send('250 kept\r\n')
      }
    }
    for (let at = 0; at < 3; at++) await peer.line()
    await peer.send(number === 1 ? `250 kept\r\n${refusal}` : refusal)
    await peer.closed()
  })
  t.after(() => server[Symbol.asyncDispose]())
  const route = relayAt(server.port)
  const { courier } = await startRig(t, route)
  const send = (name: string, behind: Sent | null = null) =>
    new Sent(courier, deliveryTo([`${name}@x.test`], { path: wayBy(route) }), behind)
  assert.equal(await send('first').verdict(), 'delivered')
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  assert.equal(await second.verdict(), 'delivered')
  const [outcome] = (await third.result).outcomes
  assert.match(outcome!.message, /550 5\.7\.1 not you/)
  assert.equal(server.peers.length, 2)
})

test('a delivery with another TLS policy waits until the session is free', async (t) => {
  const answer = Promise.withResolvers<void>()
  const { send, first, server } = await farRelay(t, async (peer, number) => {
    if (number > 1) return
    await envelope(peer)
    await peer.message()
    await answer.promise
    await peer.send('250 kept\r\n')
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second, { email: { ...emailSent, tls: 'required' } })
  await pause(50)
  assert.equal(server.peers.length, 1)
  answer.resolve()
  assert.equal(await second.verdict(), 'delivered')
  const { outcomes } = await third.result
  assert.equal(outcomes[0]!.verdict, 'deferred')
  assert.match(outcomes[0]!.message, /offers no STARTTLS/)
})

test('a delivery that waits for the session goes back untried when the service stops', async (t) => {
  const answer = Promise.withResolvers<void>()
  const { send, first, courier } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    await answer.promise
    await peer.send('250 kept\r\n')
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second, { email: { ...emailSent, tls: 'required' } })
  const closing = courier.close(30_000)
  answer.resolve()
  assert.equal(await second.verdict(), 'delivered')
  assert.equal(await third.verdict(), 'released')
  await closing
})

test('a message that cannot be composed leaves the session to the earlier one', async (t) => {
  const { send, first, server } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    await pause(FAR_MS)
    await peer.send('250 kept\r\n')
    await envelope(peer)
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  await first()
  const second = send('second')
  await second.atDot
  const broken = { kind: 'raw', raw: null as unknown as Uint8Array, date: 0, addressee: null } as const
  const third = send('third', second, { message: broken })
  assert.equal(await third.verdict(), 'deferred')
  assert.equal(await second.verdict(), 'delivered')
  assert.equal(await send('fourth').verdict(), 'delivered')
  assert.equal(server.peers.length, 1)
})

test('a stop with an envelope behind an unanswered dot ends: uncertain, and untried', async (t) => {
  const reached = Promise.withResolvers<void>()
  const { send, first, courier } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    for (let at = 0; at < 3; at++) await peer.line()
    reached.resolve()
    await peer.closed()
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  await reached.promise
  await courier.close(20)
  assert.equal(await second.verdict(), 'uncertain')
  assert.equal(await third.verdict(), 'released')
})

test('a stop lets both finish', async (t) => {
  const answer = Promise.withResolvers<void>()
  const { send, first, courier } = await farRelay(t, async (peer) => {
    await envelope(peer)
    await peer.message()
    for (let at = 0; at < 3; at++) await peer.line()
    await answer.promise
    await peer.send('250 kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  await first()
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  const closing = courier.close(30_000)
  answer.resolve()
  assert.equal(await second.verdict(), 'delivered')
  assert.equal(await third.verdict(), 'delivered')
  await closing
})

test('a delivery that continues with another server reports that, and the next one gets the session', async (t) => {
  const refused = (step: string, address: string) =>
    step === 'dot' && address === 'second@x.test' ? { reply: '451 4.3.0 later' } : undefined
  const sinks = await startSinks(t, {
    '127.0.0.2': { link: FAR_MS, script: ({ step, recipients }) => refused(step, recipients[0] ?? '') },
    '127.0.0.3': {},
  })
  const zone = {
    'x.test/MX': ['10 mx2.x.test', '20 mx3.x.test'],
    'mx2.x.test/A': ['127.0.0.2'],
    'mx3.x.test/A': ['127.0.0.3'],
  }
  const { courier } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port })
  const path = wayBy({ kind: 'direct' })
  const send = (name: string, behind: Sent | null = null) =>
    new Sent(courier, deliveryTo([`${name}@x.test`], { path }), behind)
  assert.equal(await send('first').verdict(), 'delivered')
  const second = send('second')
  await second.atDot
  const third = send('third', second)
  assert.equal(await second.verdict(), 'delivered')
  assert.equal(second.parted, 1)
  assert.match((await second.result).server!, /^mx3\.x\.test/)
  const { outcomes, server, dialogue } = await third.result
  assert.equal(outcomes[0]!.verdict, 'delivered')
  assert.match(server!, /^mx2\.x\.test/)
  assert.match(dialogue, /behind the message before/)
  assert.equal(sinks.at('127.0.0.2').connections, 1)
})

test('among several best servers, that of the session is chosen', async (t) => {
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
  const sinks = await startSinks(
    t,
    Object.fromEntries(addresses.map((address) => [address, { link: FAR_MS }])),
  )
  const zone = {
    'x.test/MX': addresses.map((_, at) => `10 mx${at}.x.test`),
    ...Object.fromEntries(addresses.map((address, at) => [`mx${at}.x.test/A`, [address]])),
  }
  const { courier } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port })
  const path = wayBy({ kind: 'direct' })
  let before: Sent | null = null
  for (let at = 0; at < 40; at++) {
    const sent: Sent = new Sent(courier, deliveryTo(['a@x.test'], { path }), before)
    await Promise.race([sent.atDot, sent.result])
    if (before !== null) {
      const results: DeliveryResult[] = await Promise.all([sent.result, before.result])
      assert.equal(results[0]!.server, results[1]!.server)
    }
    before = before === null && sent.dots > 0 ? sent : null
  }
})
