/** Validates the URLs of webhooks. */
import type { Settings } from '../config/settings.ts'
import { NotAUrl, outgoingUrl, refusedHost } from '../network/outgoing.ts'
import { addressGuard, isLoopback } from '../network/private-address.ts'
import { may } from './authority.ts'
import { OperateError } from './error.ts'
import type { Operation } from './verb.ts'

/** The URL in normalised form. Throws `invalid`. */
export function checkedWebhookUrl(text: string): string {
  try {
    return outgoingUrl(text).href
  } catch (error) {
    if (!(error instanceof NotAUrl)) throw error
    throw new OperateError('invalid', `"${text}" ${error.message}`, null, { cause: error })
  }
}

/**
 * The URL as people of its company see it. Path and query often contain a secret that lets anybody post there, so
 * people who may not manage see only the origin.
 */
export function visibleWebhookUrl({ caller }: Pick<Operation, 'caller'>, text: string): string {
  if (caller.kind !== 'person' || may(caller, 'manage')) return text
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? href : `${origin}/…`
}

/**
 * The URL in normalised form. Refuses a host to which no connection is ever allowed. The addresses that a name resolves
 * to are checked at every connection. Throws `invalid`.
 */
export function publicWebhookUrl({ setup }: Pick<Operation, 'setup'>, text: string): string {
  const url = checkedWebhookUrl(text)
  const { allowPrivateNetworks } = setup
  const guard = addressGuard({ allowPrivateNetworks, allowLoopback: webhooksReachLoopback(setup) })
  const why = refusedHost(new URL(url).hostname, guard)
  if (why === null) return url
  throw new OperateError(
    'invalid',
    `"${text}" could never receive events: ${why}. POSTROAD_ALLOW_PRIVATE_NETWORKS=true allows it after a restart, for tests`,
    { verb: 'listen', url: text },
  )
}

type LoopbackSettings = Pick<
  Settings,
  | 'bounceListeners'
  | 'console'
  | 'database'
  | 'delivery'
  | 'listen'
  | 'metrics'
  | 'publicUrl'
  | 'submission'
  | 'trustedProxies'
>

/**
 * Whether webhooks may call programs on this machine: in capture mode, for developers, if nobody reaches the service
 * from another machine. A public URL and trusted proxies stand for a proxy that others reach. On PostgreSQL another
 * node may be reachable, and add a webhook that this node calls.
 */
export function webhooksReachLoopback(settings: LoopbackSettings): boolean {
  const { bounceListeners, console, database, delivery, listen, metrics } = settings
  const { publicUrl, submission, trustedProxies } = settings
  if (delivery.kind !== 'capture' || database.engine !== 'sqlite') return false
  if (publicUrl !== null || trustedProxies.length > 0) return false
  const listeners = [listen, console, metrics, ...submission, ...bounceListeners]
  return listeners.every((each) => typeof each === 'string' || isLoopback(each.host))
}
