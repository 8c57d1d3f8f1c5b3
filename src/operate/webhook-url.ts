/** Validates the URLs of webhooks. */
import { NotAUrl, outgoingUrl, refusedHost } from '../network/outgoing.ts'
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
export function publicWebhookUrl(op: Pick<Operation, 'guard'>, text: string): string {
  const url = checkedWebhookUrl(text)
  const why = refusedHost(new URL(url).hostname, op.guard())
  if (why === null) return url
  throw new OperateError(
    'invalid',
    `"${text}" could never receive events: ${why}. POSTROAD_ALLOW_PRIVATE_NETWORKS=true allows it, for tests`,
    { verb: 'listen', url: text },
  )
}
