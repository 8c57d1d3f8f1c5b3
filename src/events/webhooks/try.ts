/** Makes one attempt to send an event to a webhook. */
import type { Ask, NoAnswer } from '../../network/outgoing.ts'
import type { OpenWebhook, Tried } from './endpoint.ts'
import type { Message } from './held.ts'
import { tellingOf } from './place.ts'
import { payload, type WebhookRequest, webhookRequest } from './sign.ts'

export interface TryPorts {
  ask: Ask
  userAgent: string
  /** The base URL of this service, for the URLs in payloads. */
  base(): string
  /** Unix ms. */
  now(): number
}

/** Octets of a response that are kept, and milliseconds for an attempt. */
export const MOST_RESPONSE = 1_024
const TIMEOUT_MS = 15_000

/** Null: the dialect has no word for the event. `stopped`: the request was aborted, and its outcome is unknown. */
export async function tryOnce(
  { ask, now, userAgent, base }: TryPorts,
  webhook: OpenWebhook,
  { told }: Message,
  signal: AbortSignal,
): Promise<Tried | null | 'stopped'> {
  const at = now()
  const began = performance.now()
  const tried = (status: number | null, error: string | null, response: string): Tried => {
    return { at, duration: performance.now() - began, status, error, response }
  }
  let request: WebhookRequest
  try {
    const said = payload(webhook.dialect, told, base())
    if (said === null) return null
    request = webhookRequest(webhook, webhook.secrets, { ...told.event, ...tellingOf(told) }, said, at)
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
      maxOctets: MOST_RESPONSE,
      signal,
    })
    return tried(answer.status, null, answer.body.toString())
  } catch (error) {
    const { kind, message } = error as NoAnswer
    return kind === 'stopped' ? 'stopped' : tried(null, message, '')
  }
}
