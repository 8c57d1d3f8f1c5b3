import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { startSink } from './sink.ts'

/** Sends the pieces as they are, each in a packet of its own, and returns all that was answered until the end. */
async function talk(port: number, pieces: string[]): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  return heard
}

test('records envelope and octets, undoing transparency wherever the packets are cut', async () => {
  await using sink = await startSink()
  const wire =
    'EHLO a.test\r\nMAIL FROM:<a@a.test> SIZE=9\r\nRCPT TO:<b@b.test>\r\nRCPT TO:<"x>y"@c.test>\r\nDATA\r\n' +
    '..one\r\n.\n.\r\r\n...\r\ntwo\r\n.\r\nMAIL FROM:<>\r\nRCPT TO:<d@d.test>\r\nDATA\r\n.\r\nQUIT\r\n'
  for (const size of [wire.length, 1, 2, 3, 5, 7]) {
    const pieces = Array.from({ length: Math.ceil(wire.length / size) }, (_, i) =>
      wire.slice(i * size, (i + 1) * size),
    )
    await talk(sink.port, pieces)
    const first = await sink.next()
    assert.equal(first.raw.toString(), '.one\r\n\n.\r\r\n..\r\ntwo\r\n')
    assert.deepEqual(first.recipients, ['b@b.test', '"x>y"@c.test'])
    assert.equal(first.sender, 'a@a.test')
    assert.equal(first.mailParameters, 'SIZE=9')
    assert.equal(first.answer, '250 2.0.0 kept')
    const second = await sink.next()
    assert.equal(second.sender, '')
    assert.equal(second.raw.toString(), '')
  }
})

test('a script refuses recipients, cuts after the final dot, and sees every step', async () => {
  await using sink = await startSink()
  const steps: string[] = []
  sink.script = async ({ step, recipient }) => {
    steps.push(step)
    if (recipient === 'no@b.test') return { reply: '550 5.1.1 nobody' }
    return step === 'dot' ? { close: true } : undefined
  }
  const heard = await talk(sink.port, [
    'EHLO a.test\r\nMAIL FROM:<a@a.test>\r\nRCPT TO:<no@b.test>\r\nRCPT TO:<yes@b.test>\r\nDATA\r\nhello\r\n.\r\n',
  ])
  assert.match(heard, /550 5\.1\.1 nobody\r\n250 2\.1\.5 ok\r\n354 go ahead\r\n$/)
  assert.deepEqual(steps, ['connect', 'ehlo', 'mail', 'rcpt', 'rcpt', 'data', 'body', 'dot'])
  const message = await sink.next()
  assert.equal(message.answer, null)
  assert.deepEqual(message.recipients, ['yes@b.test'])
})
