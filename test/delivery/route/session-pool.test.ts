import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SessionPool, type SessionPoolOptions } from '../../../src/delivery/route/session-pool.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { type Sink, type SinkOptions, startSink } from '../../support/sink.ts'
import { relayAt, startRig, startSinks } from './rig.ts'

async function startPool(
  t: TestContext,
  options: Partial<SessionPoolOptions> = {},
  sinkOptions: SinkOptions = {},
) {
  const sink = await startSink(sinkOptions)
  const pool = new SessionPool({
    idleTimeout: 60_000,
    maxAge: 60_000,
    maxIdle: 100,
    ...options,
  })
  t.after(async () => {
    pool.destroy()
    await sink.close()
  })
  const target = {
    host: 'mx.test',
    address: '127.0.0.1',
    port: sink.port,
    implicitTls: false,
    tls: 'off' as const,
    credentials: null,
    helo: 'out.acme.test',
  }
  const open = (key = 'site', most = 100) =>
    pool.open(key, target, new Dialogue(), new AbortController().signal, most)
  return { sink, pool, open }
}

const quits = (sink: Sink) =>
  sink.dialogue.filter((line) => line.endsWith('C: QUIT')).map((line) => line.split(' ')[0])

test('the session released last is used first, and only for its own site', async (t) => {
  const { pool, open } = await startPool(t)
  const [first, second, other] = [await open(), await open(), await open('elsewhere')]
  for (const pooled of [first, second, other]) pool.release(pooled)
  assert.equal(pool.idle, 3)
  const taken = pool.take('site', null)
  assert.equal(taken?.session, second.session)
  assert.equal(taken?.reused, true)
  assert.equal(pool.take('site', null)?.session, first.session)
  assert.equal(pool.take('site', null), null)
  assert.equal(pool.idle, 1)
})

test('a session to another address than the wanted one is not used', async (t) => {
  const { pool, open } = await startPool(t)
  pool.release(await open())
  assert.equal(pool.take('site', '127.0.0.2'), null)
  assert.notEqual(pool.take('site', '127.0.0.1'), null)
})

test('a session is ended after its number of transactions', async (t) => {
  const { pool, open, sink } = await startPool(t)
  pool.release(await open('site', 2))
  assert.equal(pool.idle, 1)
  pool.release(pool.take('site', null)!)
  assert.equal(pool.idle, 0)
  await sink.when(() => quits(sink).length === 1, 'QUIT')
})

test('a session that is too old is ended instead of used', async (t) => {
  const { pool, open, sink } = await startPool(t, { maxAge: 0 })
  pool.release(await open())
  assert.equal(pool.idle, 0)
  await sink.when(() => quits(sink).length === 1, 'QUIT')
})

test('an unused session is ended after a while', async (t) => {
  const { pool, open, sink } = await startPool(t, { idleTimeout: 20 })
  for (const pooled of [await open(), await open()]) pool.release(pooled)
  await sink.when(() => quits(sink).length === 2, 'two QUITs')
  assert.equal(pool.idle, 0)
})

test('among too many idle sessions the one that is idle longest is ended', async (t) => {
  const { pool, open, sink } = await startPool(t, { maxIdle: 2 })
  for (const pooled of [await open('a'), await open('b'), await open('c')]) pool.release(pooled)
  await sink.when(() => quits(sink).length === 1, 'QUIT')
  assert.deepEqual(quits(sink), ['1'])
  assert.equal(pool.idle, 2)
  assert.equal(pool.take('a', null), null)
})

test('a session that the server ended while idle is not offered', async (t) => {
  const { pool, open, sink } = await startPool(t)
  const pooled = await open()
  pool.release(pooled)
  await sink.close()
  while (pooled.session.usable) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(pool.idle, 0)
  assert.equal(pool.take('site', null), null)
})

test('a closed pool keeps no sessions, and destroying it cuts busy ones', async (t) => {
  const { pool, open, sink } = await startPool(t)
  const [idle, busy, returning] = [await open(), await open(), await open()]
  pool.release(idle)
  pool.close()
  await sink.when(() => quits(sink).length === 1, 'QUIT of the idle one')
  pool.release(returning)
  await sink.when(() => quits(sink).length === 2, 'QUIT of the one that came back')
  assert.equal(pool.idle, 0)
  assert.equal(busy.session.usable, true)
  pool.destroy()
  assert.equal(busy.session.usable, false)
})

for (const [what, reaction] of [
  ['hangs up on', { close: true }],
  ['says 421 to', { reply: '421 4.4.2 idle for too long', close: true }],
] as const) {
  test(`a server that ${what} a reused connection gets the message on a new one at once`, async (t) => {
    const sinks = await startSinks(t, { '127.0.0.1': {} })
    const sink = sinks.at('127.0.0.1')
    sink.script = ({ step, session, transaction }) =>
      step === 'mail' && session === 1 && transaction === 2 ? reaction : undefined
    const { deliver } = await startRig(t, relayAt(sinks.port))
    assert.equal((await deliver(['jane@x.test'])).outcomes[0]?.verdict, 'delivered')
    const second = await deliver(['joe@x.test'])
    assert.equal(second.outcomes[0]?.verdict, 'delivered', second.dialogue)
    assert.equal(sink.connections, 2)
    assert.equal(sink.messages.length, 2)
  })
}

test('a new connection that fails as well is not followed by a third', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const sink = sinks.at('127.0.0.1')
  sink.script = ({ step, session, transaction }) =>
    step === 'mail' && session + transaction > 2 ? { close: true } : undefined
  const { outcome } = await startRig(t, relayAt(sinks.port))
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal((await outcome('jane@x.test')).verdict, 'deferred')
  assert.equal(sink.connections, 2)
})

test('a reused connection that breaks after MAIL was answered is not taken for stale', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const sink = sinks.at('127.0.0.1')
  sink.script = ({ step, transaction }) => (step === 'dot' && transaction === 2 ? { close: true } : undefined)
  const { outcome } = await startRig(t, relayAt(sinks.port))
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal((await outcome('jane@x.test')).verdict, 'uncertain')
  assert.equal(sink.connections, 1)
})
