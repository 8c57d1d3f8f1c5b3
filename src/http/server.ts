/** The HTTP server: routing, limits on time and size, and a stop that lets open requests finish. */
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import { createServer as createHttps, Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import fastify from 'fastify'
import { Admission } from './admission/admission.ts'
import { watchAdmission } from './admission/gauges.ts'
import { withoutLongPipelines } from './admission/pipeline.ts'
import { Answers } from './answer.ts'
import type { ApiClass } from './api.ts'
import { APIS, servedApis } from './apis.ts'
import { BodyLimit } from './body.ts'
import { Callers } from './caller.ts'
import { ClientAddress } from './client-address.ts'
import { clientErrorHandler, lastHeaders } from './client-error.ts'
import type { HttpCore } from './core.ts'
import type { HttpDeps } from './deps.ts'
import { type AnyReason, clip } from './fault.ts'
import { MetricsListener } from './metrics-listener.ts'
import { PageTokens } from './page-tokens.ts'
import { PublicUrl } from './public-url.ts'
import { RateLimits } from './rate-limit.ts'
import { Routing } from './routing.ts'
import { cannotListen } from './start-error.ts'
import { normalTarget, requestId } from './target.ts'
import { CertificateWatch, readCertificate } from './tls.ts'

/**
 * Connections that may wait to be taken up. What is beyond tries again after one second, then three: a flood must not
 * fill it.
 */
const BACKLOG = 4_096
/**
 * Octets of a body that waits to be read: one chunk of up to 64 KiB is taken from the connection, and the next one left
 * in it.
 */
const READ_AHEAD = 16 * 1024
/** Octets of request line and header fields together. */
const MAX_HEAD = 16 * 1024
/** Milliseconds a connection may idle: longer than the 60 s that load balancers commonly hold one. */
const KEEP_ALIVE = 65_000
/** Milliseconds for the head of a request, and at most a third of what the whole request may take. */
const HEAD_WITHIN = 10_000
const HANDSHAKE_WITHIN = 10_000

export interface HttpServer {
  /** What it has for every API, and for every other way in: they share what there is of everything. */
  readonly core: HttpCore
  /** Starts to accept. Returns the address, e.g. `http://127.0.0.1:8587`; with port 0 in the settings one is chosen. */
  listen(): Promise<{ url: string; metricsUrl: string | null }>
  /** Stops accepting, lets open requests finish, and after `ms` cuts what is still open. */
  close(ms?: number): Promise<void>
}

/** `apis`: what is served beside the pages, on a node that takes mail in. Throws when the TLS files cannot be used. */
export async function createServer(deps: HttpDeps, apis: readonly ApiClass[] = APIS): Promise<HttpServer> {
  const { settings, log, registry } = deps
  const certificate = settings.tls && (await readCertificate(settings.tls))
  const options = serverOptions(settings.requestTimeout)
  let server: Server | HttpsServer | undefined
  /**
   * Connections that have not brought a whole request head yet. To Node.js they are not idle, so a stop would wait for
   * them.
   */
  const unused = new Set<Socket>()
  const admission = new Admission(deps.plan, deps.monitor)
  watchAdmission(admission, registry)
  const limit = new BodyLimit(deps.plan.body.max, settings.maxMessageSize, admission)
  const rate = new RateLimits(settings.rateLimit, (companyId) => deps.accounts.directory.rateOf(companyId))
  const answers = new Answers(log, registry, admission, rate)
  const address = new ClientAddress(settings.trustedProxies)
  const callers = new Callers({ accounts: deps.accounts, address, rate, admission })
  const publicUrl = new PublicUrl(settings.publicUrl, address)
  const pageTokens = new PageTokens(deps)
  const core: HttpCore = { deps, answers, limit, callers, clientAddress: address, publicUrl, pageTokens }
  const routing = new Routing(servedApis(core, apis), core)

  const app = fastify({
    serverFactory: (routed) => {
      const handler = withoutLongPipelines(routed)
      server = certificate
        ? createHttps({ ...options, ...certificate, handshakeTimeout: HANDSHAKE_WITHIN }, handler)
        : createHttp(options, handler)
      admitExpectations(server, handler, answers, routing)
      const { connections } = admission
      server.on('connection', (socket: Socket) => connections.opened(socket, certificate !== null))
      server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
        if (certificate) connections.secured(socket)
        unused.add(socket)
        socket.once('close', () => unused.delete(socket))
      })
      return server as Server
    },
    clientErrorHandler: clientErrorHandler(answers, (reason) => routing.words('/', reason)),
    // Not called as things are: every target can be decoded, and its parts may be as long as it is.
    frameworkErrors: (_error, request, reply) => routing.failUnrouted(request, reply),
    genReqId: requestId,
    rewriteUrl: (request) => normalTarget(request.url ?? '/'),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEAD },
    // Requests that reach a closing server on a connection it knows are still served, and told that it is the last.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: KEEP_ALIVE,
    requestTimeout: settings.requestTimeout,
    logger: false,
  })

  // Bodies are read by the APIs, with their own limits and words. What has none to the framework is left alone by it;
  // parsing nothing would still cost it a tenth of what accepting a message does.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    unused.delete(raw.socket)
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
    routing.fail(request, reply, answers.reasonOf(error, request))
  })
  routing.register(app)
  await app.ready()

  const metrics =
    typeof settings.metrics === 'string' ? null : new MetricsListener(settings.metrics, registry, log)
  let watch: CertificateWatch | null = null

  return {
    core,
    async listen() {
      const metricsUrl = metrics ? await metrics.listen() : null
      const { host, port } = settings.listen
      const address = await app.listen({ host, port, backlog: BACKLOG }).catch((error: unknown) => {
        throw cannotListen(error, 'POSTROAD_LISTEN', settings.listen)
      })
      const url = certificate ? address.replace(/^http:/, 'https:') : address
      if (settings.tls && server instanceof HttpsServer)
        watch = new CertificateWatch(server, settings.tls, log)
      return { url, metricsUrl }
    },
    async close(ms = 10_000) {
      watch?.close()
      // A connection whose request was open when the stop began turns idle later on, so idle ones are looked for again
      // and again.
      const sweepUnused = () => {
        for (const socket of unused) socket.destroy()
        server?.closeIdleConnections()
      }
      sweepUnused()
      const sweep = setInterval(sweepUnused, 50)
      const end = setTimeout(() => server?.closeAllConnections(), ms)
      try {
        await app.close()
        await metrics?.close()
      } finally {
        clearInterval(sweep)
        admission.close()
        clearTimeout(end)
      }
    },
  }
}

/** `requestTimeout`: milliseconds for a whole request. Who is slower is answered 408 and cut. */
function serverOptions(requestTimeout: number): ServerOptions {
  return {
    requestTimeout,
    headersTimeout: Math.min(Math.ceil(requestTimeout / 3), HEAD_WITHIN),
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, Math.floor(requestTimeout / 4))),
    keepAliveTimeout: KEEP_ALIVE,
    maxHeaderSize: MAX_HEAD,
    highWaterMark: READ_AHEAD,
    // Refused in the onRequest hook, since Node.js would answer with an empty body.
    requireHostHeader: false,
  }
}

/**
 * RFC 9110 10.1.1: a client that expects `100-continue` learns of a refusal before it sends its body, so `readBody`
 * says "continue" itself. Any other expectation is refused.
 */
function admitExpectations(
  server: Server | HttpsServer,
  handler: RequestListener,
  answers: Answers,
  routing: Routing,
): void {
  server.on('checkContinue', handler)
  server.on('checkExpectation', (request, response) => {
    const reason = {
      code: 'http_malformed',
      status: 417,
      detail: 'The only expectation that is understood is `100-continue`.',
    } as const
    const id = requestId(request)
    const answer = routing.words(normalTarget(request.url ?? '/'), reason)
    answers.note(id, reason)
    response.writeHead(answer.status, lastHeaders(answer, id))
    response.end(answer.body)
  })
}

/**
 * What Node.js lets through although its header leaves open whom it is for or where it ends; null when nothing does.
 */
function wrongFraming({ headers, httpVersion, rawHeaders }: IncomingMessage): AnyReason | null {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    const detail = `The Host header is ${hosts === 0 ? 'missing' : 'there more than once'} (RFC 9112 3.2).`
    return { code: 'http_malformed', status: 400, detail }
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // RFC 9112 6.1: 501 to a transfer coding that is not understood.
    const detail = `The Transfer-Encoding \`${clip(coding)}\` is not understood; \`chunked\` alone is (RFC 9112 6.1).`
    return { code: 'http_malformed', status: 501, detail }
  }
  return null
}
