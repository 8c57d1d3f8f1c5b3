/** The memory of large bodies: half of it for one company, and all of it given back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { describe, test } from 'node:test'
import { BodyLimit, consumeBody } from '../../src/http/body.ts'
import { BodyBudget } from '../../src/http/body-budget.ts'
import { Refusal } from '../../src/intake/refusal.ts'
import { RawConnection } from './requests.ts'

const MIB = 1024 * 1024
const request = () => new IncomingMessage(new Socket())
const full = (error: unknown) => error instanceof Refusal && error.reason.code === 'unavailable'

describe('BodyBudget', () => {
  test('a company fills half, others the rest, and then nobody more', () => {
    const budget = new BodyBudget(1, 8 * MIB)
    budget.hold(request(), 'a', 4 * MIB)
    assert.throws(() => budget.hold(request(), 'a', MIB), full)
    budget.hold(request(), 'b', 3 * MIB)
    assert.throws(() => budget.hold(request(), 'c', 2 * MIB), full)
    budget.hold(request(), 'c', MIB)
  })

  test('a body counts with what has arrived of it, once', () => {
    const budget = new BodyBudget(1, 8 * MIB)
    const growing = request()
    for (let octets = 0; octets <= 4 * MIB; octets += 65_536) budget.hold(growing, 'a', octets)
    assert.throws(() => budget.hold(growing, 'a', 4 * MIB + 1), full)
  })

  test('what is released can be held again; releasing twice gives back once', () => {
    const budget = new BodyBudget(1, 8 * MIB)
    const first = request()
    budget.hold(first, 'a', 4 * MIB)
    budget.release(first)
    budget.release(first)
    budget.hold(request(), 'a', 4 * MIB)
    assert.throws(() => budget.hold(request(), 'a', MIB), full)
  })

  test('small bodies are never refused', () => {
    const budget = new BodyBudget(1, 8 * MIB)
    budget.hold(request(), 'a', 4 * MIB)
    for (let count = 0; count < 1_000; count++) budget.hold(request(), 'a', 256 * 1024)
  })
})

test('who keeps too many large requests open is refused before they end, others are served', async () => {
  const limit = new BodyLimit(2 * MIB, 1)
  const server = createServer((request, response) => {
    const companyId = request.headers['x-company'] as string
    consumeBody(request, response, limit, companyId, () => {}).then(
      () => response.end('served'),
      (error: unknown) => response.end(full(error) ? 'refused' : String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const head = (company: string, length: number) =>
    `POST / HTTP/1.1\r\nHost: x\r\nX-Company: ${company}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
  // The budget is four bodies of the largest size; half of that is less than three of them.
  const open = Array.from({ length: 3 }, () => new RawConnection(url))
  for (const connection of open) {
    connection.write(head('a', limit.max))
    connection.write(Buffer.alloc(limit.max - 1))
  }
  await Promise.race(open.map((connection) => connection.until(/refused/)))
  const other = new RawConnection(url)
  other.write(head('b', MIB))
  other.write(Buffer.alloc(MIB))
  assert.match(await other.closed(), /served/)
  server.closeAllConnections()
  server.close()
})
