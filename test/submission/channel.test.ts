/** What waits in memory for a client that sends commands and reads no replies. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Channel } from '../../src/submission/channel.ts'
import { reply, replyLines } from '../../src/submission/reply.ts'

/** Octets of replies that may wait before they are sent on, and again in the socket. */
const MAX_UNREAD = 64 * 1024
const COMMANDS = 40_000
/** Turns of the event loop without a command: the session waits for its client. */
const STILL = 500
const ANSWER = reply(250, '2.0.0', 'x'.repeat(480))

describe('a client that reads no replies', () => {
  const server = createServer({ pauseOnConnect: true })
  let socket: Socket
  let client: Socket
  before(async () => {
    server.listen(0, '127.0.0.1')
    const connected = once(server, 'connection')
    await once(server, 'listening')
    client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket = ((await connected) as [Socket])[0]
  })
  after(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })

  test('is answered no further than it reads, and then all it asked', async () => {
    client.pause()
    client.write('N\r\n'.repeat(COMMANDS))
    const channel = new Channel(socket, () => null)
    const octets = Buffer.byteLength(replyLines(ANSWER))
    let answered = 0
    let broken: unknown = null
    const session = (async () => {
      for (; answered < COMMANDS; answered++) {
        await channel.line(60_000)
        channel.say(ANSWER)
        const { writableLength, bytesWritten } = socket
        assert.ok(writableLength <= 2 * MAX_UNREAD + octets, `${writableLength} octets wait in the socket`)
        const held = (answered + 1) * octets - bytesWritten
        assert.ok(held <= MAX_UNREAD + 2 * octets, `${held} octets of replies are held back`)
      }
      await channel.flush()
    })().catch((error) => {
      broken = error
    })
    let before = -1
    for (let still = 0; still < STILL && answered < COMMANDS && broken === null; await nextTurn()) {
      still = answered === before ? still + 1 : 0
      before = answered
    }
    assert.ifError(broken)
    assert.ok(answered < COMMANDS, 'the session does not wait for its client')

    let received = 0
    client.on('data', (piece) => {
      received += piece.length
    })
    client.resume()
    await session
    assert.ifError(broken)
    while (received < COMMANDS * octets) await once(client, 'data')
    assert.equal(received, COMMANDS * octets)
  })
})
