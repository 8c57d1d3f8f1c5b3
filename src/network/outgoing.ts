/**
 * The one HTTP client for servers that strangers name (a webhook's URL, an attachment's): it connects to public
 * addresses only, waits so long and reads so much, and follows nobody.
 *
 * Whether an address is public is asked of the very address that is connected to, at each connection: a name that was
 * looked up before may lead elsewhere by then. A redirect is given back: who follows it comes here again.
 */
import { createRequire } from 'node:module'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { Agent } from 'undici'
import { ArrivingOctets } from '../common/arriving-octets.ts'
import type { AddressGuard } from './private-address.ts'

/** Milliseconds to a connection, TLS included. */
const CONNECT_MS = 10_000
/** Milliseconds an idle connection is kept. */
const KEEP_ALIVE_MS = 10_000
/** Octets of an answer's header. */
const MOST_HEADER = 16 * 1024
/** Interim answers (RFC 9110 15.2) before the one that counts. */
const MOST_INTERIM = 10
/** Pieces that a body may come in: each costs time, however few octets it has. */
const MOST_PIECES = 100_000
/** From so many pieces on, octets that each has to have on average. */
const CRUMBS_FROM = 5_000
const LEAST_PIECE = 16
/**
 * The ports that browsers refuse (WHATWG Fetch 2.9): protocols that could be made to mistake a request for their own.
 */
const BAD_PORTS = new Set(
  [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
    526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
    3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ].map(String),
)
const LONGEST_URL = 2_048

/** The text is no URL that is asked. The message goes on after the text in quotes. */
export class NotAUrl extends Error {
  override name = 'NotAUrl'
}

/** No answer came, and why: a sentence without a final dot. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /**
   * `refused`: we do not connect there; `unreachable`: no connection, a name that leads nowhere; `broken`: the
   * connection or its TLS; `late`: the time was up; `stopped`: by the caller's signal.
   */
  readonly kind: 'refused' | 'unreachable' | 'broken' | 'late' | 'stopped'

  constructor(kind: NoAnswer['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** The addresses of a host name; empty when it has none. May reject. */
export type ResolveHost = (name: string) => Promise<{ address: string; family: number }[]>

export interface OutgoingOptions {
  guard: AddressGuard
  resolve: ResolveHost
  /** Connections to one origin at a time. */
  connections: number
}

export interface OutgoingRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string | Uint8Array
  /** From the look-up of the name to the last octet. */
  timeoutMs: number
  /** Of the answer's body; what is behind them is not read. */
  maxOctets: number
  signal?: AbortSignal
  /** Hears how many octets of the body have come, each time some have. What it throws ends the request. */
  received?(octets: number): void
}

export interface Answer {
  status: number
  /** Names in lower case; of several with a name the first. */
  headers: Record<string, string>
  body: Buffer
  /** Whether `body` is all of it. */
  complete: boolean
}

/** What `Outgoing` is for those who only ask. */
export type Ask = (request: OutgoingRequest) => Promise<Answer>

/** Throws NotAUrl for what is not an http or https URL that strangers may name. A fragment is dropped. */
export function outgoingUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw new NotAUrl(`has more than ${LONGEST_URL} characters`)
  // The parser would pass over these, and over blanks around it.
  if (/[\s\p{Cc}]/u.test(text)) throw new NotAUrl('has a blank or a control character in it')
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new NotAUrl('is not a URL, like https://example.com/hook')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NotAUrl('is neither an https:// nor an http:// URL')
  }
  if (url.username !== '' || url.password !== '') throw new NotAUrl('has a user name or password in it')
  if (BAD_PORTS.has(url.port)) throw new NotAUrl(`names port ${url.port}, where no HTTP server is asked`)
  url.hash = ''
  return url
}

const require = createRequire(import.meta.url)
/** Loaded with the first request: it costs 30 MB and a tenth of a second, and most nodes never make one. */
const undici = (): typeof import('undici') => require('undici')

export class Outgoing {
  readonly #options: OutgoingOptions
  #agent: Agent | null = null

  constructor(options: OutgoingOptions) {
    this.#options = options
  }

  #connect({ guard, resolve, connections }: OutgoingOptions): Agent {
    const { Agent, buildConnector } = undici()
    const connectOver = buildConnector({ timeout: CONNECT_MS, lookup: guardedLookup(guard, resolve) })
    return new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: 2 * KEEP_ALIVE_MS,
      maxHeaderSize: MOST_HEADER,
      // One limit holds for all of it, and is the request's.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
        // Nothing is looked up for an address.
        const why = isIP(host) === 0 ? null : guard(host)
        if (why !== null) return callback(new NoAnswer('refused', why), null)
        connectOver(options, callback)
      },
    })
  }

  /** Rejects with NoAnswer. Any status is an answer. */
  readonly ask: Ask = async ({ timeoutMs, signal, ...asked }) => {
    const late = AbortSignal.timeout(timeoutMs)
    const ended = signal === undefined ? late : AbortSignal.any([late, signal])
    try {
      return await unlessAborted(this.#answer(asked, ended), ended)
    } catch (error) {
      if (signal?.aborted) throw new NoAnswer('stopped', 'it was not waited for', { cause: error })
      const { host } = asked.url
      if (!late.aborted) throw noAnswer(host, error)
      throw new NoAnswer('late', `${host} did not answer within ${timeoutMs / 1000} seconds`, {
        cause: error,
      })
    }
  }

  async #answer(
    { method, url, headers, body, maxOctets, received }: Omit<OutgoingRequest, 'timeoutMs'>,
    signal: AbortSignal,
  ): Promise<Answer> {
    this.#agent ??= this.#connect(this.#options)
    let interim = 0
    const answer = await undici().request(url, {
      dispatcher: this.#agent,
      method,
      headers,
      body: body ?? null,
      signal,
      onInfo() {
        if (++interim > MOST_INTERIM) throw new NoAnswer('broken', `${url.host} gave interim answers only`)
      },
    })
    const read = await readAtMost(answer.body, maxOctets, url, received)
    return { status: answer.statusCode, headers: firstOfEach(answer.headers), ...read }
  }

  /** What is under way is given up. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}

/** Undici heeds a signal only once there is a connection. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    // Whichever loses is nobody's any more.
    work.catch(() => {})
    aborted.promise.catch(() => {})
  }
}

/** As `connect` of node:net wants it: addresses that may be connected to, or an error. */
function guardedLookup(guard: AddressGuard, resolve: ResolveHost): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (found) => {
        const allowed = found.filter(({ address }) => guard(address) === null)
        const [first] = allowed
        // Which addresses there are is not told: the name may be one of the operator's own network.
        if (first === undefined) return callback(nowhere(host, found.length > 0), '')
        if (all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error) =>
        callback(new NoAnswer('unreachable', `${host} could not be looked up`, { cause: error }), ''),
    )
  }
}

function nowhere(host: string, hasAddresses: boolean): NoAnswer {
  if (hasAddresses) return new NoAnswer('refused', `${host} leads to no public address`)
  return new NoAnswer('unreachable', `${host} has no address in the DNS`)
}

/** Flowing: a stream that is iterated over puts small pieces together before they can be counted. */
function readAtMost(
  body: Readable,
  maxOctets: number,
  { host }: URL,
  received?: (octets: number) => void,
): Promise<Pick<Answer, 'body' | 'complete'>> {
  const arriving = new ArrivingOctets(null)
  let octets = 0
  let pieces = 0
  return new Promise((resolve, reject) => {
    const stop = () => {
      // Ends the connection: who sends more than is read is not waited for.
      body.off('data', onData).destroy()
    }
    const onData = (piece: Buffer) => {
      try {
        pieces++
        if (pieces > MOST_PIECES || (pieces > CRUMBS_FROM && octets < pieces * LEAST_PIECE)) {
          throw new NoAnswer('broken', `${host} answered in too many pieces`)
        }
        received?.(piece.length)
        arriving.add(piece)
        octets += piece.length
      } catch (error) {
        reject(error)
        stop()
      }
      if (octets <= maxOctets) return
      resolve({ body: arriving.whole().subarray(0, maxOctets), complete: false })
      stop()
    }
    body.on('error', reject)
    body.on('end', () => {
      const whole = arriving.whole()
      // One alone is a part of what its socket has read.
      resolve({ body: pieces === 1 ? Buffer.from(whole) : whole, complete: true })
    })
    body.on('data', onData)
  })
}

function firstOfEach(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const first: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const one = Array.isArray(value) ? value[0] : value
    if (one !== undefined) first[name] = one
  }
  return first
}

const WORDS: Record<string, [kind: NoAnswer['kind'], words: string]> = {
  ECONNREFUSED: ['unreachable', 'refused the connection'],
  ECONNRESET: ['broken', 'cut the connection'],
  EPIPE: ['broken', 'cut the connection'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached'],
  ENETUNREACH: ['unreachable', 'cannot be reached'],
  ETIMEDOUT: ['unreachable', 'took no connection in time'],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', 'took no connection in time'],
  UND_ERR_SOCKET: ['broken', 'cut the connection'],
  UND_ERR_HEADERS_OVERFLOW: ['broken', 'answered with a header that is too large'],
}

function noAnswer(host: string, error: unknown): NoAnswer {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  if (inner instanceof NoAnswer) return inner
  const code = (inner as { code?: unknown }).code
  const [kind, words] = WORDS[String(code)] ?? []
  if (kind !== undefined) return new NoAnswer(kind, `${host} ${words}`, { cause: error })
  const { message } = inner as Error
  return new NoAnswer('broken', `no answer of ${host} could be read: ${message}`, { cause: error })
}
