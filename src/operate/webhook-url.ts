/** Which URLs may be those of a webhook. */
import { NotAUrl, outgoingUrl, refusedHost } from '../network/outgoing.ts'
import { may } from './authority.ts'
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
 * As its company's people see it: path and query often hold what lets anybody post there, so those who may only look
 * see where it is, and no more.
 */
export function visibleWebhookUrl({ caller }: Pick<Operation, 'caller'>, text: string): string {
  if (caller.kind !== 'person' || may(caller, 'manage')) return text
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? href : `${origin}/…`
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
    { verb: 'listen', url: text },
  )
}
