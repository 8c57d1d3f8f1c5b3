/**
 * The one HTTP client for servers that strangers name (a webhook's URL, an attachment's): it connects only to public
 * addresses, limits time and size, and follows no redirects.
 *
 * Each connection checks the very address that it connects to: a name that was looked up before may lead elsewhere by
 * then. A redirect is returned: a caller who follows it makes a new request here.
 */
import type { X509Certificate } from 'node:crypto'
import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Agent } from 'undici'
import { CONNECT_FAULTS } from './connect-fault.ts'
import { Exchange, type OutgoingResponse, type ResponseOptions } from './exchange.ts'
import { NoAnswer } from './no-answer.ts'
import type { AddressGuard } from './private-address.ts'
import { readInTurns } from './read-in-turns.ts'
import { TlsTransport } from './tls-transport.ts'

/** Milliseconds for a connection, TLS included. */
const CONNECT_MS = 10_000
/** Milliseconds for which an idle connection is kept. */
const KEEP_ALIVE_MS = 10_000
/** The most octets of an answer's header. */
const MAX_HEADER = 16 * 1024
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

/** The text is not an acceptable URL. The message continues a sentence that begins with the text in quotes. */
export class NotAUrl extends Error {
  override name = 'NotAUrl'
}

/** The addresses of a host name; empty when it has none. May reject. */
type ResolveHost = (name: string) => Promise<{ address: string; family: number }[]>

export interface OutgoingOptions {
  guard: AddressGuard
  resolve: ResolveHost
  /** Connections to one origin at a time. */
  connections: number
  /** Called with the certificate of each server that is connected to over TLS. */
  onCertificate?(certificate: X509Certificate): void
}

export interface OutgoingRequest extends ResponseOptions {
  method: 'GET' | 'HEAD' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string | Uint8Array
  /** From the look-up of the name to the last octet. */
  timeoutMs: number
  signal?: AbortSignal
}

export { NoAnswer, type OutgoingResponse }

/** The interface of `Outgoing` for callers that only make requests. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingResponse>

/** Throws NotAUrl for anything but an http or https URL that strangers may name. A fragment is dropped. */
export function outgoingUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw new NotAUrl(`has more than ${LONGEST_URL} characters`)
  // The URL parser would silently remove line breaks, and spaces around the URL.
  if (/[\s\p{Cc}]/u.test(text)) throw new NotAUrl('contains a space or a control character')
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new NotAUrl('is not a URL, like https://example.com/hook')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new NotAUrl('is neither an https:// nor an http:// URL')
  }
  if (url.username !== '' || url.password !== '') throw new NotAUrl('contains a user name or password')
  if (BAD_PORTS.has(url.port)) throw new NotAUrl(`names port ${url.port}, which is blocked for HTTP`)
  url.hash = ''
  return url
}

/** The reason why the host of a URL is never connected to, if that is clear without a look-up; otherwise null. */
export function refusedHost(host: string, guard: AddressGuard): string | null {
  // RFC 6761 6.3: the name means this machine, whatever DNS says.
  if (/^(.+\.)?localhost\.?$/i.test(host)) return guard('127.0.0.1') && `${host} is this machine itself`
  const address = host.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) === 0 ? null : guard(address)
}

const require = createRequire(import.meta.url)
/** Loaded with the first request: it takes 30 MB and a tenth of a second, and most nodes never need it. */
const undici = (): typeof import('undici') => require('undici')

export class Outgoing {
  readonly #options: OutgoingOptions
  #agent: Agent | null = null

  constructor(options: OutgoingOptions) {
    this.#options = options
  }

  #connect({ guard, resolve, connections, onCertificate }: OutgoingOptions): Agent {
    const { Agent, buildConnector } = undici()
    const connectOver = buildConnector({ timeout: CONNECT_MS, lookup: guardedLookup(guard, resolve) })
    return new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: 2 * KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER,
      // The request has one time limit for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect(options, callback) {
        // An address needs no look-up, so the look-up's guard would not see it.
        const why = refusedHost(options.hostname, guard)
        if (why !== null) return callback(new NoAnswer('refused', why), null)
        const isSecure = options.protocol === 'https:'
        const port = options.port || (isSecure ? '443' : '80')
        connectOver({ ...options, protocol: 'http:', port }, (error, socket) => {
          if (error !== null) return callback(error, null)
          const party = socket.remoteAddress ?? ''
          if (!isSecure) {
            readInTurns(socket, party)
            return callback(null, socket)
          }
          const transport = new TlsTransport(socket, party)
          connectOver({ ...options, httpSocket: transport as unknown as Socket }, (failure, secure) => {
            if (failure !== null) return callback(failure, null)
            const certificate = (secure as TLSSocket).getPeerX509Certificate()
            if (certificate !== undefined) onCertificate?.(certificate)
            readInTurns(secure, party)
            callback(null, secure)
          })
        })
      },
    })
  }

  /** Rejects with NoAnswer. Any status is an answer. */
  readonly ask: SendRequest = async ({ method, url, headers, body, timeoutMs, signal, ...wanted }) => {
    const exchange = new Exchange(url.host, wanted)
    const late = () =>
      exchange.abort(new NoAnswer('late', `${url.host} did not answer within ${timeoutMs / 1000} seconds`))
    const stop = () => exchange.abort(new NoAnswer('stopped', 'the request was canceled'))
    const timer = setTimeout(late, timeoutMs)
    signal?.addEventListener('abort', stop)
    try {
      if (signal?.aborted) stop()
      else {
        this.#agent ??= this.#connect(this.#options)
        const path = `${url.pathname}${url.search}`
        this.#agent.dispatch({ origin: url.origin, path, method, headers, body: body ?? null }, exchange)
      }
      return await exchange.answer
    } catch (error) {
      throw noAnswer(url.host, error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Requests under way are given up. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}

/** A look-up for `connect` of node:net: addresses that may be connected to, or an error. */
function guardedLookup(guard: AddressGuard, resolve: ResolveHost): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (found) => {
        const allowed = found.filter(({ address }) => guard(address) === null)
        const [first] = allowed
        // The addresses are not revealed: the name may be one of the operator's own network.
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
  if (hasAddresses) return new NoAnswer('refused', `${host} has no public address`)
  return new NoAnswer('unreachable', `${host} has no address in DNS`)
}

const WORDS: Record<string, [kind: NoAnswer['kind'], words: string]> = {
  ECONNRESET: ['broken', 'closed the connection'],
  EPIPE: ['broken', 'closed the connection'],
  UND_ERR_CONNECT_TIMEOUT: ['unreachable', CONNECT_FAULTS.ETIMEDOUT!],
  UND_ERR_SOCKET: ['broken', 'closed the connection'],
  UND_ERR_HEADERS_OVERFLOW: ['broken', 'answered with a header that is too large'],
}

function noAnswer(host: string, error: unknown): NoAnswer {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  if (inner instanceof NoAnswer) return inner
  const code = (inner as { code?: unknown }).code
  const connecting = CONNECT_FAULTS[String(code)]
  const [kind, words] = connecting ? (['unreachable', connecting] as const) : (WORDS[String(code)] ?? [])
  if (kind !== undefined) return new NoAnswer(kind, `${host} ${words}`, { cause: error })
  const { message } = inner as Error
  return new NoAnswer('broken', `the answer of ${host} could not be read: ${message}`, { cause: error })
}
