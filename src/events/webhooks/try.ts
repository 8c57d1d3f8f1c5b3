/** One try of telling one webhook one event. */
import type { Ask, NoAnswer } from '../../network/outgoing.ts'
import type { OpenWebhook, Tried } from './endpoint.ts'
import type { Message } from './held.ts'
import { tellingOf } from './place.ts'
import { payload, type WebhookRequest, webhookRequest } from './sign.ts'

export interface TryPorts {
  ask: Ask
  userAgent: string
  /** Where this service is reached, for the URLs that it tells. */
  base(): string
  /** Unix ms. */
  now(): number
}

/** Octets of an answer that are kept, and the time a try may take. */
export const MOST_RESPONSE = 1_024
const TIMEOUT_MS = 15_000

/**
 * Null: its dialect has no word for the event. `stopped`: given up in the midst of it, nobody knows what came of it.
 */
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
    // What its sender made of it is no reason to tell nobody anything any more.
    return tried(null, `the event cannot be written down: ${(error as Error).message}`, '')
  }
  const { headers, body } = request
  try {
    const answer = await ask({
      ...{
        method: 'POST',
        url: new URL(webhook.url),
        headers: { ...headers, 'user-agent': userAgent },
        body,
      },
      ...{ timeoutMs: TIMEOUT_MS, maxOctets: MOST_RESPONSE, signal },
    })
    return tried(answer.status, null, answer.body.toString())
  } catch (error) {
    const { kind, message } = error as NoAnswer
    return kind === 'stopped' ? 'stopped' : tried(null, message, '')
  }
}
