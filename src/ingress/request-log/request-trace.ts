/** The facts of a request for the log of API requests, noted while it is served. */
import type { Visitor } from '../admission/visit.ts'

/** The client of a request. */
interface RequestClient {
  /** Null: the key is unknown. */
  companyId: string | null
  keyId: string | null
  address: string
}

/** The log describes bodies of at most this many octets. */
const MAX = 64 * 1024

const CLIENT = Symbol('client')
const BODY = Symbol('body')

/** Properties of the request and not entries of a WeakMap, for the reason at `Visiting`. */
interface TracedRequest extends Visitor {
  [CLIENT]?: RequestClient
  [BODY]?: Buffer
}

export function noteClient(request: Visitor, client: RequestClient): void {
  ;(request as TracedRequest)[CLIENT] = client
}

/** The client of a request; undefined: the request has shown no key. */
export function clientOf(request: Visitor): RequestClient | undefined {
  return (request as TracedRequest)[CLIENT]
}

/** Notes a body for the log, if it is small. */
export function noteBody(request: Visitor, body: Buffer): void {
  if (body.length <= MAX) (request as TracedRequest)[BODY] = body
}

export function bodyOf(request: Visitor): Buffer | undefined {
  return (request as TracedRequest)[BODY]
}
