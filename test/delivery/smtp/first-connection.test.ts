import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../harness/free-port.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { SilentPort } from '../../support/silent-port.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

async function startSilent(t: TestContext): Promise<number> {
  const silent = await SilentPort.start()
  t.after(() => silent[Symbol.asyncDispose]())
  return silent.port
}

function targetAt(port: number): SmtpTarget {
  return {
    ...{ host: 'mx.x.test', address: '127.0.0.1', port, implicitTls: false, tls: 'off' },
    ...{ credentials: null, helo: 'out.acme.test' },
  }
}

test('while one address is silent, the other one is tried as well, and its connection is used', async (t) => {
  await using sink = await startSink()
  const silent = targetAt(await startSilent(t))
  const fallback = { target: targetAt(sink.port), used: false }
  const dialogue = new Dialogue()
  const session = await openSession(silent, dialogue, undefined, fallback)
  assert.equal(session.server, `mx.x.test [127.0.0.1]:${sink.port}`)
  assert.equal(fallback.used, true)
  assert.match(dialogue.text, /no connection to mx\.x\.test .* yet, trying 127\.0\.0\.1 as well/)
  await session.quit()
})

test('when the first address answers, the other one is not tried', async (t) => {
  await using sink = await startSink()
  const fallback = { target: targetAt(await startSilent(t)), used: false }
  const session = await openSession(targetAt(sink.port), new Dialogue(), undefined, fallback)
  assert.equal(session.server, `mx.x.test [127.0.0.1]:${sink.port}`)
  assert.equal(fallback.used, false)
  await session.quit()
})

test('when neither answers, the last failure counts', async (t) => {
  const silent = { ...targetAt(await startSilent(t)), timeouts: { connect: 600 } }
  const refusing = targetAt(await freePort())
  const fallback = { target: refusing, used: false }
  const timedOut = openSession(silent, new Dialogue(), undefined, fallback)
  await assert.rejects(timedOut, { kind: 'timeout', message: new RegExp(`:${silent.port}\\b`) })
  assert.equal(fallback.used, false)
})

test('a stop aborts both', async (t) => {
  const [one, other] = [targetAt(await startSilent(t)), targetAt(await startSilent(t))]
  const stopping = new AbortController()
  const dialogue = new Dialogue()
  const opening = openSession(one, dialogue, stopping.signal, { target: other, used: false })
  await until(() => /trying 127\.0\.0\.1 as well/.test(dialogue.text), 'the second connection')
  stopping.abort()
  await assert.rejects(opening, { kind: 'closed' })
})
