/** An SMTP server: listeners, their certificate, and a stop that lets messages finish. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Settings, SmtpListener } from '../config/settings.ts'
import type { Ingress } from '../ingress/ingress.ts'
import { CannotListen, cannotListen } from '../ingress/start-error.ts'
import { Certificate, CertificateWatch, readCertificate } from '../ingress/tls.ts'
import { hostPort } from '../network/host-port.ts'
import type { SessionParts } from './context.ts'
import { FailedLogins } from './failed-logins.ts'
import type { MailPolicy } from './policy.ts'
import { reply, replyLines } from './reply.ts'
import { SmtpServerSession } from './session.ts'
import { TrustedProxies } from './trusted-proxies.ts'
import { SessionTurns } from './turns.ts'

/** Connections that may wait to be accepted. */
const BACKLOG = 1_024

/** RFC 5321 3.8: sent to a client whose connection makes room for others. */
const FULL = replyLines(reply(421, '4.3.2', 'There are too many connections; try again later'))

export interface SmtpServer {
  /** The listeners that accept mail now. */
  readonly open: readonly SmtpListener[]
  /** Starts to accept. */
  listen(): Promise<SmtpAddresses>
  /** Open sessions. */
  readonly sessions: number
  /** Stops accepting, and lets messages under way finish; after `ms`, cuts the connections that are still open. */
  close(ms: number): Promise<void>
}

/** URLs such as `smtp://127.0.0.1:587`, in the order of the settings. */
export interface SmtpAddresses {
  urls: string[]
  /** The URLs where no login is needed. */
  withoutLogin: string[]
  /** Optional listeners whose address another program has. */
  taken: string[]
}

/** `ingress`: that of the HTTP server, which shares all limits. Throws when the TLS files cannot be used. */
export async function createSmtpServer(
  ingress: Ingress,
  policy: MailPolicy,
  listeners: readonly SmtpListener[],
  { tls, hostname, trustedProxies }: Pick<Settings, 'tls' | 'hostname' | 'trustedProxies'>,
): Promise<SmtpServer> {
  const { log } = ingress.deps
  const certificate = tls && new Certificate(await readCertificate(tls))
  const sessions = new Set<SmtpServerSession>()
  const parts: SessionParts = {
    ingress,
    tls: certificate,
    hostname,
    proxies: new TrustedProxies(trustedProxies, log),
    failedLogins: new FailedLogins(log),
    turns: new SessionTurns(),
  }
  const { connections } = ingress.admission
  let done: (() => void) | null = null

  const welcome = (listener: SmtpListener, socket: Socket) => {
    socket.on('error', () => {})
    const { implicitTls, proxied } = listener
    if (!connections.opened(socket, implicitTls && !proxied, implicitTls && proxied ? null : FULL)) return
    const session = new SmtpServerSession(parts, policy, listener, socket)
    sessions.add(session)
    void session.run().finally(() => {
      sessions.delete(session)
      if (sessions.size === 0) done?.()
    })
  }

  const servers: Server[] = []
  const open: SmtpListener[] = []
  let watch: CertificateWatch | null = null

  return {
    open,
    get sessions() {
      return sessions.size
    },
    async listen() {
      const addresses: SmtpAddresses = { urls: [], withoutLogin: [], taken: [] }
      for (const listener of listeners) {
        const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) =>
          welcome(listener, socket),
        )
        let url: string
        try {
          url = await begin(server, listener, policy.setting)
        } catch (error) {
          if (!(error instanceof CannotListen && listener.optional)) throw error
          addresses.taken.push(urlOf(listener))
          log.warn(`No SMTP at this address: ${error.message}`)
          continue
        }
        servers.push(server)
        open.push(listener)
        addresses.urls.push(url)
        if (listener.withoutLogin) addresses.withoutLogin.push(url)
      }
      if (tls !== null && certificate !== null) watch = new CertificateWatch(certificate, tls, log)
      return addresses
    },
    async close(ms) {
      watch?.close()
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      const { promise, resolve } = Promise.withResolvers<void>()
      done = resolve
      for (const session of sessions) session.dismiss()
      if (sessions.size === 0) resolve()
      const cut = setTimeout(() => {
        for (const session of sessions) session.cut()
      }, ms)
      await promise
      clearTimeout(cut)
      await Promise.all(closed)
    },
  }
}

function begin(server: Server, { host, port, implicitTls }: SmtpListener, setting: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, setting, { host, port })))
    server.listen({ host, port, backlog: BACKLOG }, () => {
      const { address, port: given } = server.address() as AddressInfo
      resolve(urlOf({ host: address, port: given, implicitTls }))
    })
  })
}

function urlOf({ host, port, implicitTls }: Pick<SmtpListener, 'host' | 'port' | 'implicitTls'>): string {
  return `${implicitTls ? 'smtps' : 'smtp'}://${hostPort(host, port)}`
}
