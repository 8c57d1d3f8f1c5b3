/** The answer to a reason, with the header fields that the reason requires. */
import { type AnyReason, REFUSAL_DELAY_MS } from '../ingress/fault.ts'
import type { Answer } from './answer.ts'

/** @param challenge the scheme that a 401 names (RFC 9110 11.6.1) */
export function answerTo(
  reason: AnyReason,
  answer: Pick<Answer, 'status' | 'type' | 'body'>,
  challenge?: string,
): Answer {
  const headers: Record<string, string> = {}
  if (answer.status === 401 && challenge !== undefined) headers['www-authenticate'] = challenge
  if ('retryAfter' in reason && reason.retryAfter !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(reason.retryAfter)))
  if ('allow' in reason) headers.allow = reason.allow
  const refusedFor = reason.code === 'operation_refused' ? reason.why : reason.code
  if (reason.code !== 'too_much_under_way') return { ...answer, headers, refusedFor }
  return { ...answer, headers, refusedFor, heldFor: REFUSAL_DELAY_MS }
}
