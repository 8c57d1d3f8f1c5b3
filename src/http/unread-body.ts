/**
 * Bodies that are not read. The answer is sent before they arrive, and must reach the client while they keep coming.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { release } from '../common/octets.ts'
import type { PausedSockets } from '../ingress/admission/held-back.ts'

/**
 * The most octets of a body that are read and dropped after an early answer: as many as clients commonly send first.
 */
const ALLOWANCE = 256 * 1024
/** A chunk counts for at least this many octets, because its framing costs work. */
const CHUNK = 256
/** Ms that a connection stays open for its client to read the answer. */
const LINGER = 1_000

const welcomed = new WeakSet<IncomingMessage>()

/** Tells a client that waits for the 100 response (RFC 9110 10.1.1) to send its body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || request.httpVersionMinor === 0) return
  welcomed.add(request)
  response.writeContinue()
}

/** Connections whose request was answered before its body had arrived. */
const answered = new WeakSet<Socket>()

/** True while the connection carries the rest of a request that is already answered. */
export function isAnswered(socket: Socket): boolean {
  return answered.has(socket)
}

/** Requests whose connection is read no further. */
const abandoned = new WeakSet<IncomingMessage>()

/**
 * Called when an answer is sent before the body was read. A small body is read and dropped, and the connection goes on.
 * Of a large body, or one of unknown length, at most the allowance is read, and the connection ends.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.destroyed) return
  const isAbandoned = abandoned.has(request)
  if (request.complete) {
    // Nothing that follows on the connection is read.
    if (isAbandoned) response.setHeader('connection', 'close')
    return
  }
  const { 'content-length': declared, 'transfer-encoding': coding } = request.headers
  // RFC 9112 6.3: without either there is no body.
  if (declared === undefined && coding === undefined) return
  if (request.headers.expect !== undefined && !welcomed.has(request)) {
    // The client holds its body back, and after a final answer may never send it. So no further request can follow on
    // the connection.
    response.setHeader('connection', 'close')
    return
  }
  const { socket } = request
  answered.add(socket)
  closeBehindAnswer(request)
  if (Number(declared ?? Number.POSITIVE_INFINITY) <= ALLOWANCE && !isAbandoned) {
    request.on('end', () => answered.delete(socket))
    request.on('data', release)
    return
  }
  response.setHeader('connection', 'close')
  if (isAbandoned) return
  let left = ALLOWANCE
  request.on('data', (chunk: Buffer) => {
    left -= Math.max(chunk.length, CHUNK)
    release(chunk)
    // The client's own connection holds back the rest.
    if (left < 0) stopReading(request)
  })
  request.resume()
}

/**
 * Changes how the connection ends when the answer is its last. Node.js closes it as soon as the answer is written, and
 * closing a connection with unread octets resets it; the reset can overtake the answer. So only this side is closed,
 * and the whole connection when the body has arrived, or a little later (RFC 9112 9.6).
 */
function closeBehindAnswer(request: IncomingMessage): void {
  const { socket } = request
  const own: Partial<Pick<Socket, 'destroySoon'>> = socket
  own.destroySoon = () => {
    delete own.destroySoon
    if (request.complete) return socket.destroySoon()
    socket.end()
    const cut = setTimeout(() => socket.destroy(), LINGER)
    socket.once('close', () => clearTimeout(cut))
    request.once('end', () => socket.destroy())
  }
}

/**
 * Stops reading from the connection for good. The part of the body that was read stays in its buffer, and `countChunks`
 * drops the chunks that the parser still has.
 */
export function stopReading(request: IncomingMessage & { _dump?: () => void }): void {
  const { socket } = request
  abandoned.add(request)
  request.pause()
  // Node.js would read the rest itself once the answer is written.
  request._dump = () => {}
  socket.pause()
  socket.resume = () => socket
}

/** Chunks between two checks of the length of the turn. */
const CHECK_EVERY = 64

/**
 * Counts the chunks of a body (RFC 9112 7.1) as work of its connection, including those that are dropped after
 * `stopReading`. Node.js parses all that it has read at once, and 64 KiB in chunks of one octet take it many
 * milliseconds.
 */
export function countChunks(request: IncomingMessage, heldBack: PausedSockets): void {
  if (request.headers['transfer-encoding'] === undefined) return
  const { socket, push } = request
  let chunks = 0
  request.push = (chunk, encoding) => {
    if (++chunks % CHECK_EVERY === 0) heldBack.worked(socket)
    const isDropped = chunk !== null && abandoned.has(request)
    return isDropped || push.call(request, chunk, encoding)
  }
}
