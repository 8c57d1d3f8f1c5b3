/**
 * A listening address: its connections, limits on time and size, its APIs, and a stop that lets open requests finish.
 */

import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import fastify, { type FastifyInstance } from 'fastify'
import { clip } from '../common/clip.ts'
import type { SettingName } from '../config/schema.ts'
import type { HostPort, Settings } from '../config/settings.ts'
import { addressGroup } from '../ingress/admission/address-group.ts'
import type { Connections } from '../ingress/admission/connections.ts'
import type { AnyReason } from '../ingress/fault.ts'
import { cannotListen } from '../ingress/start-error.ts'
import { normalTarget, requestId } from '../ingress/target.ts'
import { Certificate, CertificateWatch } from '../ingress/tls.ts'
import { encrypt } from '../network/encrypted-socket.ts'
import type { AnswerSender } from './answer.ts'
import type { Api } from './api.ts'
import { MAX_HEAD } from './bounds.ts'
import { adviseOnProtocol, clientErrorHandler, lastHeaders } from './client-error.ts'
import type { HttpCore } from './core.ts'
import { createServer as createHttp } from './node-http.ts'
import { withoutLongPipelines } from './pipeline.ts'
import { Routing } from './routing.ts'

/**
 * Connections that may wait to be accepted, enough for a flood. When they are full, further clients retry after one
 * second, then after three.
 */
const BACKLOG = 4_096
/**
 * Octets read ahead while nobody consumes the body: one chunk of up to 64 KiB is taken from the connection, and the
 * next one stays in it.
 */
const READ_AHEAD = 16 * 1024
/** Milliseconds that a connection may idle: longer than the 60 s that are common for load balancers. */
const KEEP_ALIVE = 65_000
/** Milliseconds for the head of a request; at most a third of the time for the whole request. */
const HEAD_WITHIN = 10_000

interface ListenerParts {
  at: HostPort
  /** The setting of `at`. */
  setting: SettingName
  /** The APIs served there. One has the prefix `/`. */
  apis: readonly Api[]
  core: HttpCore
  connections: Connections
  /** The certificate in `settings.tls`; null: without TLS. */
  certificate: SecureContextOptions | null
}

export class HttpListener {
  readonly #parts: ListenerParts
  readonly #routing: Routing
  readonly #app: FastifyInstance
  readonly #certificate: Certificate | null
  #server: Server | undefined
  /**
   * Connections that have not sent a complete request head yet. For Node.js they are not idle, so a stop would wait for
   * them.
   */
  readonly #unused = new Set<Socket>()
  #watch: CertificateWatch | null = null

  /** Makes a listener that is ready to listen. */
  static async open(parts: ListenerParts): Promise<HttpListener> {
    const listener = new HttpListener(parts)
    await listener.#app.ready()
    return listener
  }

  private constructor(parts: ListenerParts) {
    const { apis, core, certificate } = parts
    this.#parts = parts
    this.#certificate = certificate && new Certificate(certificate)
    this.#routing = new Routing(apis, core)
    this.#app = this.#newApp(core.deps.settings)
  }

  /** Starts to accept. Returns the address, e.g. `http://127.0.0.1:8587`; with port 0 the system chooses one. */
  async listen(): Promise<string> {
    const { at, setting, core } = this.#parts
    const certificate = this.#certificate
    const { settings, log } = core.deps
    const address = await this.#app.listen({ ...at, backlog: BACKLOG }).catch((error: unknown) => {
      throw cannotListen(error, setting, at)
    })
    if (certificate === null) return address
    if (settings.tls) this.#watch = new CertificateWatch(certificate, settings.tls, log)
    return address.replace(/^http:/, 'https:')
  }

  /** Stops accepting, lets open requests finish, and after `ms` closes connections that are still open. */
  async close(ms: number): Promise<void> {
    this.#watch?.close()
    // A connection that had a request at the beginning of the stop becomes idle later, so idle ones are closed
    // repeatedly.
    const sweepUnused = () => {
      for (const socket of this.#unused) socket.destroy()
      this.#server?.closeIdleConnections()
    }
    sweepUnused()
    const sweep = setInterval(sweepUnused, 50)
    const end = setTimeout(() => this.#server?.closeAllConnections(), ms)
    try {
      await this.#app.close()
    } finally {
      clearInterval(sweep)
      clearTimeout(end)
    }
  }

  #newApp(settings: Settings): FastifyInstance {
    const { core } = this.#parts
    const { reasons } = core
    const routing = this.#routing
    const app = fastify({
      serverFactory: (routed) => {
        this.#server = this.#newServer(withoutLongPipelines(routed, core.admission.heldBack))
        return this.#server
      },
      clientErrorHandler: clientErrorHandler(core, (reason) => routing.words('/', reason)),
      // Not called at present: every target can be decoded, and its parts may have any length.
      frameworkErrors: (_error, request, reply) => routing.failUnrouted(request, reply),
      genReqId: requestId,
      rewriteUrl: (request) => normalTarget(request.url ?? '/'),
      routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEAD },
      // Requests that reach a closing server on an open connection are still served, and told that the connection ends.
      return503OnClosing: false,
      forceCloseConnections: 'idle',
      keepAliveTimeout: KEEP_ALIVE,
      requestTimeout: settings.requestTimeout,
      logger: false,
    })

    // The APIs read bodies with their own limits and errors. The framework leaves a request alone when its method has
    // no body; even an empty parser would cost a tenth of the time to accept a message.
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
      app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
    }
    app.addHook('onRequest', (request, reply, done) => {
      const { raw } = request
      this.#unused.delete(raw.socket)
      const wrong = wrongFraming(raw)
      if (wrong !== null) {
        reply.raw.setHeader('connection', 'close')
        routing.fail(request, reply, wrong)
        return
      }
      done()
    })
    app.setNotFoundHandler((request, reply) => routing.failUnrouted(request, reply))
    app.setErrorHandler((error, request, reply) => {
      routing.fail(request, reply, reasons.reasonOf(error, request))
    })
    routing.register(app)
    return app
  }

  #newServer(handler: RequestListener): Server {
    const { connections, core } = this.#parts
    const { heldBack } = core.admission
    const server = createHttp(serverOptions(core.deps.settings.requestTimeout), handler)
    admitExpectations(server, handler, core.answers, this.#routing)
    const certificate = this.#certificate
    if (certificate === null) server.on('connection', (socket: Socket) => connections.opened(socket, false))
    server.on('connection', (socket: Socket) => {
      heldBack.opened(socket)
      this.#unused.add(socket)
      socket.once('close', () => this.#unused.delete(socket))
    })
    if (certificate !== null) {
      encryptInTurn(server, certificate, connections, (error) => adviseOnProtocol(core.reasons, error))
    }
    return server
  }
}

/**
 * Lets source addresses take turns for TLS handshakes. The server's own listeners get each connection once its
 * handshake is done; `failed` gets the error of a failed one.
 */
function encryptInTurn(
  server: Server,
  certificate: Certificate,
  connections: Connections,
  failed: (error: NodeJS.ErrnoException) => void,
): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // No other listener handles the error of a connection that breaks before TLS has begun.
    socket.on('error', () => {})
    if (!connections.opened(socket, true)) return
    connections.handshake(socket, () => {
      const party = addressGroup(socket.remoteAddress ?? '')
      const { context: secureContext } = certificate
      encrypt(
        socket,
        { secureContext, party, protocols: ['http/1.1'], readAhead: READ_AHEAD },
        (secure, error) => {
          if (error !== undefined) failed(error)
          if (secure === null) return
          connections.secured(secure)
          for (const listener of listeners) listener.call(server, secure)
        },
      )
    })
  })
}

/** `requestTimeout`: milliseconds for a whole request. A slower client gets a 408 and is disconnected. */
function serverOptions(requestTimeout: number): ServerOptions {
  return {
    requestTimeout,
    headersTimeout: Math.min(Math.ceil(requestTimeout / 3), HEAD_WITHIN),
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, Math.floor(requestTimeout / 4))),
    keepAliveTimeout: KEEP_ALIVE,
    maxHeaderSize: MAX_HEAD,
    highWaterMark: READ_AHEAD,
    // The onRequest hook refuses such a request, since Node.js would answer with an empty body.
    requireHostHeader: false,
  }
}

/**
 * RFC 9110 10.1.1: a client that expects `100-continue` learns of a refusal before it sends its body, so `readBody`
 * itself sends the 100 response. Any other expectation is refused.
 */
function admitExpectations(
  server: Server,
  handler: RequestListener,
  answers: AnswerSender,
  routing: Routing,
): void {
  server.on('checkContinue', handler)
  server.on('checkExpectation', (request, response) => {
    const reason = {
      code: 'http_malformed',
      status: 417,
      detail: 'The only supported expectation is `100-continue`.',
    } as const
    const id = requestId(request)
    const answer = routing.words(normalTarget(request.url ?? '/'), reason)
    answers.note(id, reason)
    response.writeHead(answer.status, lastHeaders(answer, id))
    response.end(answer.body)
  })
}

/**
 * Why to refuse a request that Node.js accepts although its host or its end is ambiguous; null for any other request.
 */
function wrongFraming({ headers, httpVersion, rawHeaders }: IncomingMessage): AnyReason | null {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    const detail = `The Host header is ${hosts === 0 ? 'missing' : 'present more than once'} (RFC 9112 3.2).`
    return { code: 'http_malformed', status: 400, detail }
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // RFC 9112 6.1: 501 to a transfer coding that is not understood.
    const detail = `The Transfer-Encoding \`${clip(coding)}\` is not supported; only \`chunked\` is (RFC 9112 6.1).`
    return { code: 'http_malformed', status: 501, detail }
  }
  return null
}
