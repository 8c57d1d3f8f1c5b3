/** Makes one attempt to send an event to a webhook. */
import type { NoAnswer, SendRequest } from '../../network/outgoing.ts'
import type { AttemptOutcome, OpenWebhook } from './endpoint.ts'
import { payload, type WebhookRequest, webhookRequest } from './sign.ts'
import { subjectOf } from './subject.ts'
import type { PendingMessage } from './webhook-queue.ts'

export interface AttemptParts {
  ask: SendRequest
  userAgent: string
  /** The base URL of this service, for the URLs in payloads. */
  base(): string
  /** Unix ms. */
  now(): number
}

/** Octets of a response that are kept, and milliseconds for an attempt. */
export const MAX_RESPONSE = 1_024
const TIMEOUT_MS = 15_000

/** Null: the dialect has no word for the event. `stopped`: the request was aborted, and its outcome is unknown. */
export async function tryOnce(
  { ask, now, userAgent, base }: AttemptParts,
  webhook: OpenWebhook,
  { notice }: PendingMessage,
  signal: AbortSignal,
): Promise<AttemptOutcome | null | 'stopped'> {
  const at = now()
  const began = performance.now()
  const tried = (status: number | null, error: string | null, response: string): AttemptOutcome => {
    return { at, duration: performance.now() - began, status, error, response }
  }
  let request: WebhookRequest
  try {
    const content = payload(webhook.dialect, notice, base())
    if (content === null) return null
    request = webhookRequest(webhook, webhook.secrets, { ...notice.event, ...subjectOf(notice) }, content, at)
  } catch (error) {
    // An event that cannot be serialised must not keep the webhook from getting any others.
    return tried(null, `the event cannot be serialized: ${(error as Error).message}`, '')
  }
  const { headers, body } = request
  try {
    const answer = await ask({
      method: 'POST',
      url: new URL(webhook.url),
      headers: { ...headers, 'user-agent': userAgent },
      body,
      timeoutMs: TIMEOUT_MS,
      maxOctets: MAX_RESPONSE,
      signal,
    })
    return tried(answer.status, null, answer.body.toString())
  } catch (error) {
    const { kind, message } = error as NoAnswer
    return kind === 'stopped' ? 'stopped' : tried(null, message, '')
  }
}
