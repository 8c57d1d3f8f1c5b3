import { isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { TlsTransport } from '../../network/tls-transport.ts'
import { contextOf } from '../dane/authorities.ts'
import { daneDoubt, hasOneOfNames } from '../dane/judge-server.ts'
import type { SmtpTarget } from './target.ts'

export interface TlsOutcome {
  /** `TLSv1.3` */
  protocol: string
  /** The name of the cipher suite by IANA, such as `TLS_AES_256_GCM_SHA384`. */
  cipher: string
  /**
   * The chain leads to a trusted authority and the certificate names the host, or DANE says that the server is the
   * right one. Checked under every policy.
   */
  verified: boolean
  /** The reason why it is not verified; null when it is. */
  doubt: string | null
}

export interface Encryption {
  /** Receives the connection's octets. */
  transport: TlsTransport
  socket: TLSSocket
  done: Promise<TlsOutcome>
}

/** Building a context reads the trusted authorities, so connections share it. */
let builtInContext: SecureContext | null = null

function secureContext(ca: string[] | undefined): SecureContext {
  if (ca) return createSecureContext({ ca })
  builtInContext ??= createSecureContext()
  return builtInContext
}

/**
 * Starts TLS on a connected socket. `done` rejects when the handshake fails, and under `verified` when the certificate
 * is not trusted or does not name the host; nothing has been sent over it by then. The caller sets time limits.
 */
export function encrypt(plain: Socket, target: SmtpTarget): Encryption {
  const transport = new TlsTransport(plain, target.host)
  const { dane } = target
  const host = dane?.names[0] ?? target.host
  const socket = connectTls({
    socket: transport,
    host,
    // RFC 6066 3: literal addresses are not permitted in server_name.
    servername: isIP(host) ? '' : host,
    secureContext: dane === undefined ? secureContext(target.ca) : contextOf(dane),
    ...(dane && { checkServerIdentity: (_, certificate) => hasOneOfNames(dane, certificate) }),
    // The certificate is checked below: every policy records the result, and only `verified` demands a valid one.
    rejectUnauthorized: false,
  })
  const done = new Promise<TlsOutcome>((resolve, reject) => {
    socket.once('error', (error) => reject(new Error(withoutNoise(error))))
    socket.once('close', () => reject(new Error('the connection was closed')))
    socket.once('secureConnect', () => {
      const doubt = dane === undefined ? pkixDoubt(socket) : daneDoubt(dane, socket)
      if (doubt !== null && target.tls === 'verified') {
        const ofName = `the certificate is not valid for ${target.host} (${doubt})`
        reject(new Error(dane === undefined ? ofName : doubt))
        return
      }
      const { standardName: cipher } = socket.getCipher()
      resolve({ protocol: socket.getProtocol() ?? 'TLS', cipher, verified: doubt === null, doubt })
    })
  })
  return { transport, socket, done }
}

function pkixDoubt({ authorized, authorizationError }: TLSSocket): string | null {
  return authorized ? null : reason(authorizationError)
}

function reason(error: Error | string | null): string {
  if (error === null) return 'not verified'
  return typeof error === 'string' ? error : ((error as NodeJS.ErrnoException).code ?? error.message)
}

/** OpenSSL's messages carry thread ids and source lines; only the code and the reason help. */
function withoutNoise(error: NodeJS.ErrnoException & { reason?: string }): string {
  const detail = error.reason ?? error.message
  return error.code && !detail.includes(error.code) ? `${detail} (${error.code})` : detail
}
