/**
 * Who is told: an HTTP server in a process of its own that no fault touches. It fails on request, and reports of every request that came
 * whole its id, what it told, whether it was rightly signed, and whether it was taken.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../harness/random.ts'
import { OtherSideProcess } from '../other-side-process.ts'
import {
  digestOf,
  type FromReceiver,
  type Notice,
  type ReceiverAddress,
  type ReceiverRule,
  type ReceivingEndpoint,
  type ToReceiver,
} from './notice.ts'

let endpoints: ReceivingEndpoint[] = []
let notices: Notice[] = []

/** Open: requests that came whole and whose answer is not out. */
const side = new OtherSideProcess<ToReceiver, FromReceiver, ReceiverRule, ReceiverAddress>({
  report() {
    if (notices.length === 0) return
    side.say({ kind: 'noticed', notices })
    notices = []
  },
  hear(message) {
    endpoints = message.endpoints
    side.random = new Random(message.seed)
  },
})

type Told = Pick<Notice, 'id' | 'body' | 'wrong'>

/** Standard Webhooks, under either of its names. When it was signed is not looked at: clocks are made to step. */
function readJson({ headers }: IncomingMessage, body: string, secret: string): Told {
  const id = String(headers['webhook-id'])
  const wrong: string[] = []
  if (headers['svix-id'] !== id) wrong.push(`svix-id is ${headers['svix-id']}, webhook-id ${id}`)
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${id}.${headers['webhook-timestamp']}.${body}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  if (headers['webhook-signature'] !== signature) wrong.push(`${id} is signed wrongly`)
  JSON.parse(body)
  return { id, body: digestOf(body), wrong }
}

function readForm(body: string, secret: string): Told {
  const { signature, 'event-data': told } = JSON.parse(body) as {
    signature: { timestamp: string; token: string; signature: string }
    'event-data': { id: string }
  }
  const expected = createHmac('sha256', secret)
    .update(signature.timestamp + signature.token)
    .digest('hex')
  const wrong = signature.signature === expected ? [] : [`${told.id} is signed wrongly`]
  return { id: told.id, body: digestOf(JSON.stringify(told)), wrong }
}

function read(request: IncomingMessage, endpoint: number, body: string): Told {
  const { dialect, secret } = endpoints[endpoint]!
  try {
    return dialect === 'json' ? readJson(request, body, secret) : readForm(body, secret)
  } catch (error) {
    return { id: '', body: 0, wrong: [`it could not be read: ${String(error)}: ${body.slice(0, 200)}`] }
  }
}

/** The status that was written whole; null: none was. */
async function answer(response: ServerResponse, rule: ReceiverRule | undefined): Promise<number | null> {
  const { socket } = response
  switch (rule?.deed) {
    case 'close':
      socket?.destroy()
      return null
    case 'reset':
      socket?.resetAndDestroy()
      return null
    case 'hang':
      // Some are given up by the service, some by us.
      await pause(side.random.between(2_000, 20_000))
      socket?.destroy()
      return null
    case 'garbage':
      socket?.end('2X0 what\r\n\r\n\u0000999999999999')
      return null
    case 'cut':
      response.writeHead(200, { 'content-length': 100 }).write('taken, perha')
      await pause(50)
      socket?.destroy()
      return null
    case 'redirect':
      // Nobody is to come there.
      return await end(response.writeHead(302, { location: '/elsewhere' }))
    case 'slow':
      await pause(side.random.between(50, 2_500))
      return await end(response.writeHead(204))
    case undefined:
      return await end(response.writeHead(200))
    default:
      return await end(response.writeHead(Number(rule!.deed)))
  }
}

async function end(response: ServerResponse): Promise<number | null> {
  // Who asked is gone since: nothing more is heard of it.
  if (response.closed) return null
  const out = Promise.race([
    once(response, 'finish').then(() => true),
    once(response, 'close').then(() => false),
  ])
  response.end()
  return (await out.catch(() => false)) ? response.statusCode : null
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part as Buffer)
  } catch {
    // It did not come whole.
    return
  }
  side.open++
  try {
    const endpoint = Number(/^\/e(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
    if (request.method !== 'POST' || endpoints[endpoint] === undefined) {
      const wrong = [`${request.method} ${request.url}, where nobody was to ask`]
      notices.push({ endpoint: -1, id: '', body: 0, taken: false, wrong })
      await end(response.writeHead(404))
      return
    }
    const told = read(request, endpoint, Buffer.concat(parts).toString())
    const rule = side.struck(({ endpoints }) => endpoints.includes(endpoint))
    const status = await answer(response, rule)
    const ended = status === 406 && endpoints[endpoint]!.dialect === 'form'
    const taken = ended || (status !== null && status >= 200 && status < 300)
    notices.push({ endpoint, taken, ...told })
  } finally {
    side.open--
  }
})

server.listen(0, '127.0.0.1')
await once(server, 'listening')
side.listens({ port: (server.address() as AddressInfo).port })
