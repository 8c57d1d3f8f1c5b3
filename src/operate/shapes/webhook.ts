import { wordsOfTypes } from '../../events/notices/types.ts'
import { messageId } from '../../events/webhooks/message-id.ts'
import type { ShownWebhookAttempt, WebhookAttempt } from '../../store/store.ts'
import type { OwnedWebhook } from '../webhook-find.ts'
import { isoTime } from './time.ts'

/** Without the secret, which is shown once. `domain`: the id, if the domain has been removed. */
export function webhookJson({ webhook, company, domain }: OwnedWebhook) {
  return {
    id: webhook.id,
    company_id: company.id,
    domain: domain?.name ?? webhook.domainId,
    dialect: webhook.dialect,
    url: webhook.url,
    events: wordsOfTypes(webhook.dialect, webhook.types),
    status: webhook.status,
    created_at: isoTime(webhook.createdAt),
    rotated_at: isoTime(webhook.rotatedAt),
    failing_since: isoTime(webhook.failingSince),
    disabled_at: isoTime(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    told_up_to: webhook.cursor,
  }
}

/** `event`: the number of the event; `message_id` is the same for each attempt. */
export function webhookAttemptJson(
  attempt: WebhookAttempt & Partial<Pick<ShownWebhookAttempt, 'recipient'>>,
) {
  return {
    id: attempt.id,
    webhook_id: attempt.webhookId,
    message_id: messageId(attempt.webhookId, attempt),
    event: attempt.number,
    type: attempt.type,
    email_id: attempt.emailId,
    recipient: attempt.recipient,
    attempt: attempt.attempt,
    at: isoTime(attempt.at),
    duration_ms: attempt.duration,
    succeeded: attempt.succeeded,
    status: attempt.status,
    error: attempt.error,
    response: attempt.response,
    next_attempt_at: isoTime(attempt.nextAt),
  }
}
