import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { writePieces } from '../../src/http/long-answer.ts'

const ANSWERS = 30
/** Of each answer, of 20 characters each: about four times what is written at once. */
const PIECES = 13_000

test('long answers that are requested at once are made one at a time', async (t) => {
  let turn = 0
  let over = false
  const count = () => {
    turn++
    if (!over) setImmediate(count)
  }
  setImmediate(count)
  const makers = new Map<number, Set<number>>()
  function* pieces(answer: number): Generator<string> {
    for (let index = 0; index < PIECES; index++) {
      const inTurn = makers.get(turn) ?? new Set()
      makers.set(turn, inTurn.add(answer))
      yield `${'x'.repeat(19)}\n`
    }
  }

  // All of them begin in one turn of the event loop, as do requests that come together.
  const waiting: http.ServerResponse[] = []
  const server = http.createServer((_request, response) => {
    response.writeHead(200)
    waiting.push(response)
    if (waiting.length < ANSWERS) return
    for (const [answer, each] of waiting.entries()) void writePieces(each, pieces(answer), 'a')
  })
  t.after(() => {
    over = true
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = Array.from({ length: ANSWERS }, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    return (await answer.text()).length
  })
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([PIECES * 20]))
  const most = Math.max(...[...makers.values()].map(({ size }) => size))
  // The count of turns may go on before or after an answer does.
  assert.ok(most <= 2, `${most} answers were made in one turn of the event loop`)
})

test('companies take turns with their long answers', async (t) => {
  const order: string[] = []
  function* pieces(company: string): Generator<string> {
    for (let index = 0; index < 20; index++) yield 'x'.repeat(70_000)
    order.push(company)
  }
  const waiting: http.ServerResponse[] = []
  const server = http.createServer((_request, response) => {
    response.writeHead(200)
    waiting.push(response)
    if (waiting.length < ANSWERS) return
    // The last to ask is another company.
    for (const [answer, each] of waiting.entries()) {
      const company = answer === ANSWERS - 1 ? 'other' : 'many'
      void writePieces(each, pieces(company), company)
    }
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = Array.from({ length: ANSWERS }, async () => {
    await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
  })
  await Promise.all(asked)
  assert.equal(order[0], 'other')
})
