/** What is made of environment, `.env` and config file: plain, checked values. */
import type { SettingFields } from './schema.ts'

export type { DeliveryRoute, HostPort, RelayRoute, SubmissionListener } from './values.ts'

export interface OpenIdSettings {
  issuer: string
  clientId: string
  clientSecret: string | null
}

/** Each setting under its field of the schema, and what is made of some. */
export interface Settings extends SettingFields {
  tls: { certPath: string; keyPath: string } | null
  /** The OpenID Connect provider of the console; null: there is none. */
  openid: OpenIdSettings | null
  /** Ranges of addresses of proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** `ip` or `ip:port` each; empty: the system's. */
  dnsServers: string[]
  /** The name was set: this node has it again when it is started again. */
  nodeNameSet: boolean
}
