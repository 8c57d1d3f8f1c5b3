import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { isBroken } from '../../../../src/store/postgres/faults.ts'

test('a connection that the server has closed is broken', async (t) => {
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
  await once(socket, 'end')
  socket.write('query')
  const [error] = await once(socket, 'error')
  assert.equal((error as NodeJS.ErrnoException).code, 'EPIPE')
  assert.equal(isBroken(error), true)
})
