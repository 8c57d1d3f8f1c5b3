/** The settings from environment, `.env` and config file: plain, checked values. */
import type { SettingFields } from './schema.ts'
import type { SmtpListener } from './values.ts'

export type {
  DeliveryRoute,
  HostPort,
  ImapMailbox,
  RelayRoute,
  SmtpListener,
  SourceAddress,
} from './values.ts'

export interface OpenIdSettings {
  issuer: string
  clientId: string
  clientSecret: string | null
}

/** Each setting under its field of the schema, and values derived from several. */
export interface Settings extends SettingFields {
  tls: { certPath: string; keyPath: string } | null
  /** Addresses for SMTP submission; empty: it is off. */
  submission: SmtpListener[]
  /** The OpenID Connect provider of the console; null: there is none. */
  openid: OpenIdSettings | null
  /** Address ranges of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[]
  /** `ip` or `ip:port` each; empty: the system's. */
  dnsServers: string[]
  /** Servers whose AD bit is trusted, in addition to those on loopback: `ip` or `ip:port` each. */
  dnsValidating: string[]
}
