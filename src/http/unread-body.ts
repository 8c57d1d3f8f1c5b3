/** Bodies that nobody will read: an answer leaves before they have come, and must arrive although they go on coming. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { release } from '../common/octets.ts'

/**
 * Octets of a body that are taken in and dropped after an early answer: no more than a client commonly sends before it
 * looks.
 */
const ALLOWANCE = 256 * 1024
/** What a chunk counts for at least: its framing is work. */
const CHUNK = 128
/** Ms for which a connection is kept after that for its client to read the answer. */
const LINGER = 1_000

const welcomed = new WeakSet<IncomingMessage>()

/** Tells a client that waits for it (RFC 9110 10.1.1) to go on with its body. */
export function welcomeBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || request.httpVersionMinor === 0) return
  welcomed.add(request)
  response.writeContinue()
}

/** Connections whose request was answered while its body was still to come. */
const answered = new WeakSet<Socket>()

/** True while the connection carries the rest of a request that has its answer already. */
export function isAnswered(socket: Socket): boolean {
  return answered.has(socket)
}

/**
 * Called when an answer leaves before the body was read. A small body is read and dropped, and the connection goes on.
 * Of a large one, or one of unknown length, no more is read than the allowance, and the connection ends. One closed on
 * unread octets is reset, and the reset can overtake the answer: so our side is closed first, and the whole a little
 * later (RFC 9112 9.6). `heldFor`: ms until the answer leaves; what comes until then must not lie in memory either.
 */
export function discardBody(request: IncomingMessage, response: ServerResponse, heldFor = 0): void {
  if (request.complete || request.destroyed) return
  const { 'content-length': declared, 'transfer-encoding': coding } = request.headers
  // RFC 9112 6.3: without either there is no body.
  if (declared === undefined && coding === undefined) return
  if (request.headers.expect !== undefined && !welcomed.has(request)) {
    // The client holds its body back and, with a final answer, may never send it: the connection has no next request.
    response.setHeader('connection', 'close')
    return
  }
  const { socket } = request
  answered.add(socket)
  if (Number(declared ?? Number.POSITIVE_INFINITY) <= ALLOWANCE) {
    request.on('end', () => answered.delete(socket))
    request.on('data', release)
    return
  }
  response.setHeader('connection', 'close')
  // What Node.js calls once the answer is written; it would close both sides.
  socket.destroySoon = () => void socket.end()
  const cut = setTimeout(() => socket.destroy(), heldFor + LINGER)
  socket.once('close', () => clearTimeout(cut))
  let left = ALLOWANCE
  request.on('data', (chunk: Buffer) => {
    left -= Math.max(chunk.length, CHUNK)
    release(chunk)
    // The client's own connection holds back the rest.
    if (left < 0) readNoFurther(request)
  })
  request.on('end', () => socket.end(() => socket.destroy()))
  request.resume()
}

/**
 * Nothing more is taken from the connection, and what was taken with the last octets is dropped as Node.js drops what
 * nobody has asked for: one by one, thousands of small chunks would be more work than all before them.
 */
function readNoFurther(request: IncomingMessage & { _dumped?: boolean }): void {
  const { socket } = request
  request.pause()
  request._dumped = true
  socket.pause()
  socket.resume = () => socket
}
