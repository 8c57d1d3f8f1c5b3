/** A reader that takes all there is gets it by the slice, and others are served between. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { readInTurns } from '../../src/network/read-in-turns.ts'

/** Ms of work on each slice: more than a turn of the event loop has time for. */
const WORK = 20
const OCTETS = 50_000

test('slices that are much work are read one in each turn of the event loop, to the end', async () => {
  const server = net.createServer((socket) => socket.end(Buffer.alloc(OCTETS))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let turn = 0
  let counting = setImmediate(function count() {
    turn += 1
    counting = setImmediate(count)
  })
  const slices: { turn: number; octets: number }[] = []
  const sockets = ['a', 'b'].map((party) => {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
    readInTurns(socket, party)
    socket.on('readable', () => {
      for (let octets = socket.read(); octets !== null; octets = socket.read()) {
        slices.push({ turn, octets: (octets as Buffer).length })
        for (const until = performance.now() + WORK; performance.now() < until; );
      }
    })
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'end')))
  clearImmediate(counting)
  server.close()
  assert.equal(
    slices.reduce((sum, { octets }) => sum + octets, 0),
    sockets.length * OCTETS,
  )
  assert.ok(slices.every(({ octets }) => octets <= 2 * 1024))
  const byTurn = Map.groupBy(slices, (slice) => slice.turn)
  assert.ok(Math.max(...[...byTurn.values()].map(({ length }) => length)) <= 2)
})

test('a socket that was destroyed is read no further', async () => {
  const server = net.createServer((socket) => socket.on('error', () => {}).write(Buffer.alloc(OCTETS)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  readInTurns(socket, 'a')
  let octets = 0
  socket.on('readable', () => {
    for (let slice = socket.read(); slice !== null; slice = socket.read()) {
      octets += (slice as Buffer).length
      socket.destroy()
    }
  })
  await once(socket, 'close')
  server.close()
  assert.ok(octets > 0 && octets <= 2 * 1024, `${octets}`)
})
