/**
 * What the schema (schema.ts) makes of environment, `.env` and config file. Plain, checked values with units in the
 * names.
 */

export interface HostPort {
  host: string
  port: number
}

/** Where mail is taken in over SMTP. */
export interface SubmissionListener extends HostPort {
  /** `smtps://`: TLS from the first octet (RFC 8314 3.3); else STARTTLS. */
  implicitTls: boolean
  /** `?tls=opportunistic`: whoever it is may log in without TLS. */
  clearLogin: boolean
}

export interface RelayRoute {
  kind: 'relay'
  host: string
  port: number
  /** `smtps://`: TLS from the first byte (RFC 8314 3.3). */
  implicitTls: boolean
  /** `?tls=`: off, opportunistic (default for smtp://), required (encrypted, any certificate), verified. */
  tls: 'off' | 'opportunistic' | 'required' | 'verified'
  user: string | null
  /** Password, or the OAuth 2.0 access token with `?auth=xoauth2`. */
  password: string | null
  /** `?auth=`: force one mechanism; null picks the best offered. */
  auth: 'plain' | 'login' | 'cram-md5' | 'xoauth2' | null
}

export type DeliveryRoute = { kind: 'capture' } | { kind: 'direct' } | RelayRoute

export interface Settings {
  listen: HostPort
  /** Empty: no mail is taken in over SMTP. */
  submission: SubmissionListener[]
  database: { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
  delivery: DeliveryRoute
  /** Ranges of addresses of proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  tls: { certPath: string; keyPath: string } | null
  /** EHLO name and default Message-ID domain. */
  hostname: string
  /** `ip` or `ip:port` each; empty: the system's. */
  dnsServers: string[]
  /** Port of direct delivery. */
  smtpPort: number
  /** Milliseconds between attempts. */
  retrySchedule: number[]
  /** 32 octets, or null: use the key file beside the database. */
  secretKey: Buffer | null
  /** What is refused for good is tried again as if it were refused for now. */
  softBounce: boolean
  allowPrivateNetworks: boolean
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Where `/metrics` is served: nowhere, on the API listener, or on a listener of its own. */
  metrics: 'off' | 'same' | HostPort
  /** Octets the process may take. */
  memory: number
  /** Octets of a composed message. */
  maxMessageSize: number
  /** to + cc + bcc of one email. */
  maxRecipients: number
  /** Requests per second and API key; null: none. */
  rateLimit: number | null
  /** Milliseconds a client may take to send one request. */
  requestTimeout: number
  /** Milliseconds: how long content, and the whole record, of finished emails are kept. */
  contentRetention: number
  emailRetention: number
  /** SMTP sessions at once: altogether, and to one site. */
  concurrency: number
  siteConcurrency: number
  /** Messages handed over and not recorded at once. */
  maxUnrecorded: number
  /** Threads that compose, sign and speak SMTP; 0: on the main thread. */
  deliveryThreads: number
  /** What this node does. */
  roles: ('api' | 'delivery')[]
  nodeName: string
  /** The name was set: this node has it again when it is started again. */
  nodeNameSet: boolean
  /** Folder where the name is claimed on this machine; null: one of this user in the system's temporary folder. */
  nodeDirectory: string | null
  /** Milliseconds a node may be silent before the others take over its work. */
  nodeTimeout: number
  /** Milliseconds a stop may take to let open SMTP transactions finish. */
  shutdownTimeout: number
}
