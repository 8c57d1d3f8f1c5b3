/** Reading a request body with the limit applied while it arrives, and getting rid of one that nobody will read. */
import { constants } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BodyBudget } from './body-budget.ts'
import { ClientGone, Fault } from './fault.ts'

const ENVELOPE = 1_048_576
const GONE = 'the client closed the connection before its request was complete'

/**
 * The most octets a request body may have so that a message of `messageMax` octets can still be handed in: its files as base64
 * (4/3 of their octets, RFC 4648 4), and 1 MiB for everything around them. Files sent as arrays of byte values take
 * up to three times as much, so they reach the limit earlier. Never more than one string can hold.
 */
export function bodyLimit(messageMax: number): number {
  return Math.min(Math.ceil((messageMax * 4) / 3) + ENVELOPE, constants.MAX_STRING_LENGTH)
}

/** What one body may have, and all of them together. */
export class BodyLimit {
  readonly max: number
  readonly budget: BodyBudget
  readonly #messageMax: number

  /** Both in octets: the limit of a composed message, and what all large bodies together may have. */
  constructor(messageMax: number, total?: number) {
    this.#messageMax = messageMax
    this.max = bodyLimit(messageMax)
    this.budget = new BodyBudget(this.max, total)
  }

  exceeded(): Fault {
    return new Fault({ code: 'body_too_large', max: this.max, messageMax: this.#messageMax })
  }

  /** Throws before anything is read when the length the client declares is over the limit. */
  checkDeclared(request: IncomingMessage): void {
    const declared = request.headers['content-length']
    if (declared !== undefined && Number(declared) > this.max) throw this.exceeded()
  }
}

const welcomed = new WeakSet<IncomingMessage>()

/** Tells a client that waits for it (RFC 9110 10.1.1) to go on with its body. */
function welcomeBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || request.httpVersionMinor === 0) return
  welcomed.add(request)
  response.writeContinue()
}

/** The whole body. Rejects with what `consumeBody` rejects with. */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
  companyId: string,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    receive(request, response, limit, companyId, {
      take: (chunk) => chunks.push(chunk),
      done: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
      fail: reject,
    })
  })
}

/**
 * Gives the body to `take` as it arrives. Rejects with a Fault as soon as more than the limit has arrived, with
 * ClientGone when the client leaves, and with whatever `take` throws; then nothing more is read. What has arrived counts
 * against the budget of `companyId` until it is released.
 */
export function consumeBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
  companyId: string,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((done, fail) => {
    receive(request, response, limit, companyId, { take, done, fail })
  })
}

interface Receiver {
  take(chunk: Buffer): void
  done(): void
  fail(error: unknown): void
}

/** Calls `done` or `fail` in the end, unless it throws at once. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
  companyId: string,
  receiver: Receiver,
): void {
  limit.checkDeclared(request)
  if (request.destroyed) throw new ClientGone(GONE)
  welcomeBody(request, response)
  let length = 0
  let ended = false
  const fail = (error: unknown) => {
    request.off('data', onData)
    request.off('end', onEnd)
    request.off('close', onClose)
    receiver.fail(error)
  }
  const onData = (chunk: Buffer) => {
    length += chunk.length
    if (length > limit.max) return fail(limit.exceeded())
    try {
      limit.budget.hold(request, companyId, length)
      receiver.take(chunk)
    } catch (error) {
      fail(error)
    }
  }
  // The listeners go with the request; taking them off one by one would only cost time.
  const onEnd = () => {
    ended = true
    receiver.done()
  }
  const onClose = () => {
    if (!ended) fail(new ClientGone(GONE))
  }
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('close', onClose)
}

/** Connections whose request was answered while its body was still to come. */
const answered = new WeakSet<Socket>()

/** True while the connection carries the rest of a request that has its answer already. */
export function isAnswered(socket: Socket): boolean {
  return answered.has(socket)
}

/**
 * Called when an answer leaves before the body was read. A connection closed on unread octets is reset, and the reset can
 * overtake the answer (RFC 9112 9.6); so the rest is read and dropped, up to `allowance` octets, and only then is the connection cut.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, allowance: number): void {
  if (request.complete || request.destroyed) return
  if (request.headers.expect !== undefined && !welcomed.has(request)) {
    // The client holds its body back and, with a final answer, may never send it: the connection has no next request.
    response.setHeader('connection', 'close')
    return
  }
  let left = allowance
  const { socket } = request
  answered.add(socket)
  request.on('end', () => answered.delete(socket))
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.resume()
}
