/**
 * One request made with undici, and the wanted part of its answer. `Exchange` does not use undici's `request`: the
 * stream for each body, and the signals for a time limit, cost more than the rest of a small request.
 */
import type { Dispatcher } from 'undici'
import { ArrivingOctets } from '../common/arriving-octets.ts'
import { NoAnswer } from './no-answer.ts'

/** The most interim answers (RFC 9110 15.2) before the final one. */
const MAX_INTERIM = 10
/** The most pieces of a body: each costs time, however few octets it has. */
const MAX_PIECES = 100_000
/**
 * From this number of pieces on, their average must be LEAST_PIECE octets. Reading in slices cuts some pieces in two.
 */
const CRUMBS_FROM = 6_000
const LEAST_PIECE = 16

export interface OutgoingResponse {
  status: number
  /** Names in lower case; of several fields with one name the first. */
  headers: Record<string, string>
  body: Buffer
  /** Whether `body` is all of it. */
  complete: boolean
}

type Headers = Record<string, string | string[] | undefined>

export interface ResponseOptions {
  /** Octets of the answer's body; the rest is not read. */
  maxOctets: number
  /** Called with the number of octets of each piece of the body. An error thrown by it ends the request. */
  received?: ((octets: number) => void) | undefined
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string
  readonly #wanted: ResponseOptions
  readonly #answer = Promise.withResolvers<OutgoingResponse>()
  readonly #arriving = new ArrivingOctets(null)
  #octets = 0
  #pieces = 0
  #interim = 0
  #status = 0
  #headers: Headers = {}
  #controller: Dispatcher.DispatchController | null = null
  /** The reason why it was ended before its answer. */
  #ended: Error | null = null

  constructor(host: string, options: ResponseOptions) {
    this.#host = host
    this.#wanted = options
  }

  /** Rejects with the error given to `end`, or with undici's error. */
  get answer(): Promise<OutgoingResponse> {
    return this.#answer.promise
  }

  /** The caller no longer waits for the answer. */
  abort(why: Error): void {
    this.#ended ??= why
    this.#answer.reject(this.#ended)
    this.#controller?.abort(this.#ended)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The connection came too late, and the caller no longer waits: nothing is sent.
    if (this.#ended !== null) controller.abort(this.#ended)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 && ++this.#interim > MAX_INTERIM) {
      throw new NoAnswer('broken', `${this.#host} sent only interim answers`)
    }
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const { maxOctets, received } = this.#wanted
    this.#pieces++
    if (
      this.#pieces > MAX_PIECES ||
      (this.#pieces > CRUMBS_FROM && this.#octets < this.#pieces * LEAST_PIECE)
    ) {
      throw new NoAnswer('broken', `${this.#host} answered in too many pieces`)
    }
    received?.(piece.length)
    this.#arriving.add(piece)
    this.#octets += piece.length
    if (this.#octets <= maxOctets) return
    this.#resolve(this.#arriving.whole().subarray(0, maxOctets), false)
    // A server that sends more than is read is not waited for.
    controller.abort(new Error('the wanted part of the answer has been read'))
  }

  onResponseEnd(): void {
    const whole = this.#arriving.whole()
    // A single piece is a view of the buffer that its socket has read.
    this.#resolve(this.#pieces === 1 ? Buffer.from(whole) : whole, true)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#answer.reject(error)
  }

  #resolve(body: Buffer, complete: boolean): void {
    this.#answer.resolve({ status: this.#status, headers: firstOfEach(this.#headers), body, complete })
  }
}

function firstOfEach(headers: Headers): Record<string, string> {
  const first: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const one = Array.isArray(value) ? value[0] : value
    if (one !== undefined) first[name] = one
  }
  return first
}
