/** The addresses for SMTP submission: their defaults and their checks. */
import { hostPort } from '../network/host-port.ts'
import { isLoopback } from '../network/private-address.ts'
import type { SettingValues } from './schema.ts'
import { SettingsError } from './settings-error.ts'
import type { SmtpListener } from './values.ts'

type SubmissionValues = Pick<
  SettingValues,
  | 'POSTROAD_SUBMISSION_LISTEN'
  | 'POSTROAD_DELIVERY'
  | 'POSTROAD_LISTEN'
  | 'POSTROAD_TLS_CERT'
  | 'POSTROAD_TRUSTED_PROXIES'
>

/** The port of Mailpit, and the port in the settings of a new Laravel application. */
const CAPTURE_PORTS = [1_025, 2_525]

/** The addresses for SMTP submission, as set or by default. */
export function submissionOf(values: SubmissionValues): SmtpListener[] {
  const { POSTROAD_SUBMISSION_LISTEN: listeners, POSTROAD_DELIVERY: delivery, POSTROAD_LISTEN: at } = values
  if (listeners !== 'auto') {
    checkSubmission(listeners, values)
    return listeners
  }
  if (delivery.kind !== 'capture' || !isLoopback(at.host)) return []
  return CAPTURE_PORTS.map((port) => ({
    host: at.host,
    port,
    implicitTls: false,
    clearLogin: false,
    proxied: false,
    withoutLogin: true,
    optional: true,
  }))
}

/** Checks the addresses for returned mail. */
export function checkBounceListeners(
  listeners: readonly SmtpListener[],
  { POSTROAD_TRUSTED_PROXIES: proxies }: Pick<SubmissionValues, 'POSTROAD_TRUSTED_PROXIES'>,
): void {
  for (const listener of listeners) checkProxied('POSTROAD_BOUNCE_LISTEN', listener, proxies)
}

/** Rejects the PROXY protocol without a trusted proxy, because no client could connect. */
function checkProxied(
  setting: string,
  listener: SmtpListener,
  proxies: SubmissionValues['POSTROAD_TRUSTED_PROXIES'],
): void {
  if (!listener.proxied || proxies?.length) return
  throw new SettingsError(
    `${setting} has ?proxy=on for ${hostPort(listener.host, listener.port)}, where only trusted proxies may connect, ` +
      'but none are set: name them in POSTROAD_TRUSTED_PROXIES.',
  )
}

/** Rejects listeners at which nobody could log in, and listeners without a login if mail leaves the service. */
function checkSubmission(
  listeners: readonly SmtpListener[],
  {
    POSTROAD_TLS_CERT: cert,
    POSTROAD_TRUSTED_PROXIES: proxies,
    POSTROAD_DELIVERY: delivery,
  }: SubmissionValues,
): void {
  for (const listener of listeners) {
    const { host, implicitTls, clearLogin, proxied, withoutLogin } = listener
    const place = hostPort(listener.host, listener.port)
    checkProxied('POSTROAD_SUBMISSION_LISTEN', listener, proxies)
    if (withoutLogin && delivery.kind !== 'capture') {
      throw new SettingsError(
        `POSTROAD_SUBMISSION_LISTEN has ?login=off for ${place}, which is for capture mode: with POSTROAD_DELIVERY set, ` +
          'anybody who can connect could send mail from here. Remove ?login=off; programs then log in with an API key.',
      )
    }
    if (cert !== null || withoutLogin) continue
    if (implicitTls) {
      throw new SettingsError(
        `POSTROAD_SUBMISSION_LISTEN has smtps://${place}, but there is no certificate: set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY, ` +
          'or listen with smtp:// on 127.0.0.1 for programs on this machine.',
      )
    }
    if (!clearLogin && (proxied || !isLoopback(host))) {
      throw new SettingsError(
        `POSTROAD_SUBMISSION_LISTEN has smtp://${place}, where other machines cannot log in without a certificate: set ` +
          'POSTROAD_TLS_CERT and POSTROAD_TLS_KEY, listen on 127.0.0.1, or, on your own network, add ?tls=opportunistic to accept ' +
          'API keys unencrypted.',
      )
    }
  }
}
