/** Which URLs may be those of a webhook. */
import { NotAUrl, outgoingUrl, refusedHost } from '../network/outgoing.ts'
import { OperateError } from './error.ts'
import type { Operation } from './verb.ts'

/** As it is asked. Throws `invalid`. */
export function checkedWebhookUrl(text: string): string {
  try {
    return outgoingUrl(text).href
  } catch (error) {
    if (!(error instanceof NotAUrl)) throw error
    throw new OperateError('invalid', `"${text}" ${error.message}`, null, { cause: error })
  }
}

/**
 * As it is asked, if it can ever be: an address that is never connected to is refused at once. What a name leads to is
 * looked at with each connection. Throws `invalid`.
 */
export function publicWebhookUrl(op: Pick<Operation, 'guard'>, text: string): string {
  const url = checkedWebhookUrl(text)
  const why = refusedHost(new URL(url).hostname, op.guard())
  if (why === null) return url
  throw new OperateError(
    'invalid',
    `"${text}" would never be told anything: ${why}. POSTROAD_ALLOW_PRIVATE_NETWORKS=true permits it, for tests`,
  )
}
