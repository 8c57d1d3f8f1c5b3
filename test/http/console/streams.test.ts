/** The memory that a stream may use for a client that does not read, and its release when a client has left. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EmailSummary } from '../../../src/email/stored-email.ts'
import type { ChangeListener, Changes } from '../../../src/events/live.ts'
import type { Authentication } from '../../../src/http/console/authenticate.ts'
import { Streams } from '../../../src/http/console/live/streams.ts'
import type { HttpCore } from '../../../src/http/core.ts'
import { newId } from '../../store/samples.ts'

/** Octets that may wait for a client. */
const MAX_WAITING = 512 * 1024
/** Far more than the sockets of the machine hold. */
const FAR_MORE = 64 * 1024 * 1024

const subject = 's'.repeat(300)
const summary = (): EmailSummary => ({
  ...{ id: newId(), companyId: 'company', domainId: 'domain', from: 'a@x.test', to: ['b@x.test'] },
  ...{
    cc: [],
    bcc: [],
    subject,
    replyTo: [],
    messageId: '<m@x.test>',
    size: 1,
    tags: [],
    createdAt: 1,
    scheduledAt: null,
    testMode: false,
    source: null,
    lastEvent: 'sent',
  },
})

describe('a stream', () => {
  const listeners = new Set<ChangeListener>()
  const live = {
    watch(_company: string | null, _after: number | null, listener: ChangeListener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  let domain = () => undefined
  const logged: unknown[] = []
  const core = {
    deps: {
      live,
      settings: { retrySchedule: [] },
      accounts: { directory: { domain: () => domain() } },
      log: { error: ({ err }: { err: unknown }) => logged.push(err) },
    },
  } as unknown as HttpCore
  const authentication = { stillMay: async () => true } as unknown as Authentication
  const streams = new Streams(core, authentication)
  /** Opens one that holds a place. */
  function open(response: ServerResponse) {
    const stream = { response, places: 1 }
    streams.open(response, { token: 't', companyId: 'company' }, null, () => {
      stream.places -= 1
    })
    return stream
  }
  const opened: ReturnType<typeof open>[] = []
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    opened.push(open(response))
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    streams.close()
    server.closeAllConnections()
    server.close()
  })

  /** A client that has sent its request, and the stream it was given. */
  async function client() {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    const requested = once(server, 'request')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await requested
    return { socket, stream: opened.at(-1)! }
  }
  /** Tells all who listen; how many octets of emails that was. */
  function tell(): number {
    const emails = Array.from({ length: 50 }, () => ({ email: summary(), counts: null }))
    const changes: Changes = { cursor: 1, emails, more: false }
    for (const listener of [...listeners]) listener(changes)
    return emails.length * subject.length
  }

  test('is cut off once half a megabyte waits for a client that does not read, and releases everything', async () => {
    const { socket, stream } = await client()
    socket.pause()
    let told = 0
    let most = 0
    let once = 0
    for (; stream.places > 0 && told < FAR_MORE; await nextTurn()) {
      once = tell()
      told += once
      most = Math.max(most, stream.response.writableLength)
    }
    assert.equal(stream.places, 0, `${told} octets were told to a client that reads nothing`)
    assert.equal(listeners.size, 0)
    assert.ok(most > 0 && most < MAX_WAITING + 3 * once, `${most} octets waited`)
    socket.destroy()
  })

  test('sends everything to a client that reads', async () => {
    const { socket, stream } = await client()
    socket.resume()
    const { socket: server } = stream.response
    for (let told = 0; told < FAR_MORE / 8; told += tell()) {
      while (socket.bytesRead < server!.bytesWritten) await once(socket, 'data')
    }
    assert.equal(stream.places, 1)
    socket.destroy()
    await once(stream.response, 'close')
    assert.deepEqual([stream.places, listeners.size], [0, 0])
  })

  test('ends when its changes cannot be written, and the log has the fault', async () => {
    const [one, other] = [await client(), await client()]
    const fault = new Error('a fault')
    domain = () => {
      throw fault
    }
    for (const { socket } of [one, other]) socket.resume()
    tell()
    tell()
    await Promise.all([one, other].map(({ stream: { response } }) => once(response, 'close')))
    assert.deepEqual(logged, [fault])
    assert.deepEqual([one.stream.places, other.stream.places, listeners.size], [0, 0, 0])
    domain = () => undefined
  })

  test('of a client that left before it began keeps no listener and no place', async () => {
    const { socket, stream } = await client()
    socket.destroy()
    await once(stream.response, 'close')
    assert.deepEqual([open(stream.response).places, listeners.size], [0, 0])
  })

  test('that begins after all streams were ended ends at once, and releases its place', async () => {
    const [before, read] = [await client(), await client()]
    read.socket.resume()
    streams.close()
    const after = await client()
    assert.ok([before, read, after].every(({ stream: { response } }) => response.writableEnded))
    for (const { socket } of [before, read, after]) socket.destroy()
    await Promise.all(
      [before, read].map(({ stream: { response } }) => response.closed || once(response, 'close')),
    )
    assert.deepEqual([before.stream.places, read.stream.places, after.stream.places], [0, 0, 0])
    assert.equal(listeners.size, 0)
  })
})
