/** Values of settings that are more than a word or a number. */
import type { OutgoingProxy } from '../network/proxy/proxy.ts'

export interface HostPort {
  host: string
  port: number
}

/** A listener for SMTP: for submission, or for returned mail. */
export interface SmtpListener extends HostPort {
  /** `smtps://`: TLS from the first octet (RFC 8314 3.3); otherwise STARTTLS. */
  implicitTls: boolean
  /** `?tls=opportunistic`: clients may log in without TLS. */
  clearLogin: boolean
  /** `?proxy=on`: a trusted proxy connects, and states the address of its client in a header of the PROXY protocol. */
  proxied: boolean
  /** `?login=off`: mail is accepted without a login. In capture mode only. */
  withoutLogin: boolean
  /** The service starts without this listener if its address is taken. */
  optional: boolean
}

/** An address that direct delivery connects from. */
export interface SourceAddress {
  /** In canonical form. */
  address: string
  /** EHLO name. */
  helo: string
  /** The proxy on the machine that has the address. Absent: this machine has it. */
  proxy?: OutgoingProxy
}

export interface RelayRoute {
  kind: 'relay'
  host: string
  port: number
  /** `smtps://`: TLS from the first octet (RFC 8314 3.3). */
  implicitTls: boolean
  /**
   * `?tls=`: off, opportunistic (the default for smtp://), required (encrypted, any certificate), verified (the default
   * for smtps://).
   */
  tls: 'off' | 'opportunistic' | 'required' | 'verified'
  user: string | null
  /** Password, or the OAuth 2.0 access token with `?auth=xoauth2`. */
  password: string | null
  /** `?auth=`: the only mechanism to use. Null: the best one that the server offers. */
  auth: 'plain' | 'login' | 'cram-md5' | 'xoauth2' | null
}

/** A folder that is read over IMAP. */
export interface ImapMailbox extends HostPort {
  /** `imaps://`: TLS from the first octet (RFC 8314 3.2). */
  implicitTls: boolean
  user: string
  password: string
  folder: string
}

export type DeliveryRoute = { kind: 'capture' } | { kind: 'direct' } | RelayRoute

/** The database that stores everything. */
export type DatabaseSetting = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
