/**
 * 12: a graceful stop.
 *
 * SIGTERM comes while one message is between its final dot and the answer, and another waits for its next attempt. The open transaction
 * finishes and is recorded, the process ends with 0, and after the next start the first message is not sent again and the second one is.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

/** Long beside what a busy machine adds to it. */
const SHUTDOWN_MS = 5_000

test('a stop finishes the open transaction and loses nothing that waits', async () => {
  await using stage = await startRelayed({ POSTROAD_RETRY_SCHEDULE: '2s,2s,2s' })
  const { sink, api } = stage
  const dot = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let turnedAway = 0
  sink.script = async ({ step, recipient, recipients }) => {
    if (step === 'rcpt' && recipient === 'later@in.test' && turnedAway++ === 0)
      return { reply: '450 4.2.0 later' }
    if (step === 'dot' && recipients.includes('open@in.test')) {
      dot.resolve()
      await release.promise
    }
    return undefined
  }
  const later = await api.accepted({
    from: 'hello@acme.test',
    to: 'later@in.test',
    subject: 'later',
    text: 'later',
  })
  await api.lastEvent(later, 'delivery_delayed')
  const open = await api.accepted({
    from: 'hello@acme.test',
    to: 'open@in.test',
    subject: 'open',
    text: 'open',
  })
  await dot.promise

  const stopped = stage.service.kill('SIGTERM')
  // The service takes no new work from here on; only then is the open transaction answered.
  await refused(stage.service.url)
  release.resolve()
  assert.equal(await stopped, 0)
  assert.equal((await stage.show(open)).recipients[0]!.state, 'delivered')
  assert.equal((await stage.show(later)).recipients[0]!.state, 'waiting')

  await stage.startAgain()
  await stage.api.lastEvent(later, 'delivered')
  assert.deepEqual(
    sink.messages.map(({ recipients }) => recipients[0]),
    ['open@in.test', 'later@in.test'],
  )
})

test('a server that does not answer and a client that does not finish hold up a stop together, not one after the other', async () => {
  await using stage = await startRelayed({ POSTROAD_SHUTDOWN_TIMEOUT: `${SHUTDOWN_MS / 1000}s` })
  const { sink, api } = stage
  const hung = Promise.withResolvers<void>()
  sink.script = async ({ step }) => {
    if (step !== 'mail') return undefined
    hung.resolve()
    return { hang: true }
  }
  await api.accepted({ from: 'hello@acme.test', to: 'open@in.test', subject: 'open', text: 'open' })
  await hung.promise
  const { hostname, port } = new URL(stage.service.url)
  const client = connect(Number(port), hostname)
  client.on('error', () => {})
  client.write(
    `POST /emails HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.token}\r\ncontent-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n`,
  )
  // Asked to go on, it is being waited for.
  await once(client, 'data')
  client.write('{')
  const began = performance.now()
  const since = () => performance.now() - began
  const clientLeft = once(client, 'close').then(since)
  const serverLeft = sink.when(() => sink.open === 0, 'the hanging session to end').then(since)
  assert.equal(await stage.service.kill('SIGTERM'), 0)
  const [first, last] = [await clientLeft, await serverLeft].sort((a, b) => a - b)
  // One after the other, the second would have had all of its time after the first.
  assert.ok(last! - first! < SHUTDOWN_MS * 0.9, `one after ${first} ms, the other after ${last} ms`)
})

/** Resolves when the service no longer answers requests (it no longer listens, or says 503). */
async function refused(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/emails/none`, { headers: { Connection: 'close' } }).catch(() => null)
    if (response === null || response.status === 503) return
    await response.arrayBuffer()
  }
}
