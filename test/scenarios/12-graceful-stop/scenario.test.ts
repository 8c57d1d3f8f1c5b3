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
import { until } from '../../support/until.ts'

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

test('a stop waits for an open transaction and for a client that is slow at the same time, not for one after the other', async () => {
  // One session, so that the second message waits in memory. The time of the stop does not end in this test.
  await using stage = await startRelayed({ POSTROAD_CONCURRENCY: '1', POSTROAD_SHUTDOWN_TIMEOUT: '60s' })
  const { sink, api } = stage
  const { url } = stage.service
  const open = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  sink.script = async ({ step }) => {
    if (step !== 'mail') return undefined
    open.resolve()
    await release.promise
    return undefined
  }
  const mail = { from: 'hello@acme.test', subject: 's', text: 't' }
  const sent = await api.accepted({ ...mail, to: 'open@in.test' })
  await open.promise
  const next = await api.accepted({ ...mail, to: 'next@in.test' })
  const stateOf = async (id: string) => (await stage.show(id)).recipients[0]!.state
  assert.equal(await stateOf(next), 'sending')
  const client = await slowClient(url, api.token, JSON.stringify({ ...mail, to: 'slow@in.test' }))

  const stopped = stage.service.kill('SIGTERM')
  await refused(url)
  assert.equal(sink.open, 1, 'the listener has not waited for the transaction')
  await until(async () => (await stateOf(next)) === 'waiting', 'the next message to be given back')
  assert.equal(client.closed, false, 'the delivery has not waited for the client')
  client.finish()
  release.resolve()
  assert.equal(await stopped, 0)
  assert.equal(await stateOf(sent), 'delivered')
  assert.match(client.answer(), /^HTTP\/1\.1 200 /m)
})

/** Has sent a request with this body, apart from its last octet. */
async function slowClient(url: string, token: string, body: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const length = Buffer.byteLength(body)
  socket.write(
    `POST /emails HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  // Asked to go on, it is being waited for.
  await once(socket, 'data')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(body.slice(0, -1))
  return {
    get closed() {
      return socket.closed
    },
    finish: () => socket.write(body.slice(-1)),
    answer: () => answer,
  }
}

/** Resolves when the service no longer answers requests (it no longer listens, or says 503). */
async function refused(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/emails/none`, { headers: { Connection: 'close' } }).catch(() => null)
    if (response === null || response.status === 503) return
    await response.arrayBuffer()
  }
}
