/** Reading a request body with the limit applied while it arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ArrivingOctets } from '../common/arriving-octets.ts'
import type { Admission } from '../ingress/admission/admission.ts'
import type { Visit } from '../ingress/admission/visit.ts'
import { ClientGone, Fault } from '../ingress/fault.ts'
import { noteBody } from '../ingress/request-log/request-trace.ts'
import { sendContinue, stopReading } from './unread-body.ts'

const GONE = 'the client closed the connection before its request was complete'

/** The size limit of one body, and the room that all bodies share. */
export class BodyLimit {
  readonly max: number
  readonly admission: Admission
  readonly #messageMax: number | null

  /** Limits in octets. `max`: of a body; `messageMax`: of a message, if `max` is derived from it, else null. */
  constructor(max: number, messageMax: number | null, admission: Admission) {
    this.max = max
    this.#messageMax = messageMax
    this.admission = admission
  }

  /** The limit for a body that is not a message, of at most `octets`. */
  upTo(octets: number): BodyLimit {
    return new BodyLimit(Math.min(octets, this.max), null, this.admission)
  }

  exceeded(): Fault {
    return new Fault({ code: 'body_too_large', max: this.max, messageMax: this.#messageMax })
  }

  /** The length that the client declares; null when the body comes in chunks. Throws when it is over the limit. */
  declared(request: IncomingMessage): number | null {
    const { 'content-length': declared, 'transfer-encoding': chunked } = request.headers
    if (declared === undefined) return chunked === undefined ? 0 : null
    const length = Number(declared)
    if (length > this.max) throw this.exceeded()
    return length
  }
}

/**
 * The number of pieces that a body may always have, and the average size in octets that more pieces must have. Clients
 * write a few small ones (a name, a line end); a body of single octets costs too much framing.
 */
const PIECES = 1_024
const LEAST_IN_PIECE = 16

function tooSmall(pieces: number, octets: number): Fault {
  return new Fault({
    code: 'http_malformed',
    status: 400,
    detail: `The body arrives in pieces that are too small: ${pieces} pieces with ${octets} octets in total. Send larger pieces.`,
  })
}

/** Octets of room that are reserved at a time for a body of unknown length. */
const UNKNOWN = 64 * 1024

/**
 * Reads the whole body once there is room for it. Rejects with a Fault when no room comes free in time, when more than
 * the limit arrives, and when the body is too slow while others wait for room; with ClientGone when the client
 * disconnects. After that nothing more is read. Arrived octets count until the admission's `release`.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = limit.declared(request)
    const start = () => {
      if (request.destroyed) throw new ClientGone(GONE)
      sendContinue(request, response)
      receive(request, declared, limit, resolve, reject)
    }
    if (request.destroyed) throw new ClientGone(GONE)
    const room = limit.admission.reserve(request, declared ?? UNKNOWN)
    // Nothing is read until there is room, so flow control holds the client back.
    if (room === undefined) start()
    else room.then(start).catch(reject)
  })
}

function receive(
  request: IncomingMessage,
  declared: number | null,
  limit: BodyLimit,
  resolve: (body: Buffer) => void,
  reject: (error: unknown) => void,
): void {
  const { admission } = limit
  const body = new ArrivingOctets(declared)
  let ended = false
  const fail = (error: unknown) => {
    if (ended) return
    ended = true
    request.off('data', onData)
    request.off('end', onEnd)
    request.off('close', onClose)
    if (visit) admission.ended(visit)
    body.release()
    reject(error)
  }
  const visit: Visit | undefined = admission.arriving(request, fail)
  let length = 0
  let pieces = 0
  const onData = (chunk: Buffer) => {
    length += chunk.length
    pieces += 1
    admission.heldBack.worked(request.socket)
    if (length > limit.max) return fail(limit.exceeded())
    try {
      if (pieces > PIECES + length / LEAST_IN_PIECE) {
        stopReading(request)
        throw tooSmall(pieces, length)
      }
      if (visit) {
        admission.received(visit, length)
        if (declared === null && length > visit.expected)
          admission.exceed(visit, Math.max(UNKNOWN, chunk.length))
      }
      body.add(chunk)
    } catch (error) {
      fail(error)
    }
  }
  // The listeners are freed with the request; removing them one by one would only cost time.
  const onEnd = () => {
    ended = true
    const done = () => {
      const whole = body.whole()
      noteBody(request, whole)
      resolve(whole)
    }
    if (visit) admission.arrived(visit, done)
    else done()
  }
  const onClose = () => {
    if (!ended) fail(new ClientGone(GONE))
  }
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('close', onClose)
}
