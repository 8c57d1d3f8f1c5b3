/** Sends a sample event to one webhook, to test its endpoint. */
import { sampleEvent } from '../events/webhooks/sample.ts'
import { payload, webhookRequest } from '../events/webhooks/sign.ts'
import { NoAnswer } from '../network/outgoing.ts'
import { verb } from './verb.ts'
import { findWebhook } from './webhook-find.ts'
import { secretsOf } from './webhook-secrets.ts'
import { webhooksReachLoopback } from './webhook-url.ts'
import { eventTypes } from './webhooks.ts'

/** Milliseconds for a test, and octets of its response. */
const TEST_MS = 15_000
const MAX_RESPONSE = 1_024

export interface WebhookTest {
  /** The request's body. */
  body: string
  headers: Record<string, string>
  /** The status of the response; null: there was none, and `error` says why. */
  status: number | null
  error: string | null
  response: string
  /** Milliseconds. */
  duration: number
}

/** Sends a sample event once, from this process, signed like a real event. */
export const testWebhook = verb(
  'manage',
  async (op, { id, event }: { id: string; event: string }): Promise<WebhookTest> => {
    const { webhook, domain } = await findWebhook(op, id)
    const [type] = eventTypes(webhook.dialect, [event])
    const now = op.now()
    const sample = sampleEvent(type!, webhook.companyId, domain?.name ?? 'example.com', now)
    const content = payload(webhook.dialect, sample, op.apiUrl())!
    const { headers, body } = webhookRequest(
      webhook,
      await secretsOf(op, webhook),
      sample.event,
      content,
      now,
    )
    const outgoing = op.outgoing({ allowLoopback: webhooksReachLoopback(op.setup) })
    const tried = (status: number | null, error: string | null, response: string): WebhookTest => {
      return { body, headers, status, error, response, duration: op.now() - now }
    }
    try {
      const limits = { timeoutMs: TEST_MS, maxOctets: MAX_RESPONSE }
      const answer = await outgoing.ask({
        method: 'POST',
        url: new URL(webhook.url),
        headers,
        body,
        ...limits,
      })
      return tried(answer.status, null, answer.body.toString())
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return tried(null, error.message, '')
    } finally {
      await outgoing.close()
    }
  },
  null,
)
