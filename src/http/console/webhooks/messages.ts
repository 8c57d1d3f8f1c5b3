/** The messages of a webhook, their attempts, and replays. */
import { wordOfType } from '../../../events/notices/types.ts'
import { messageId } from '../../../events/webhooks/message-id.ts'
import { OperateError } from '../../../operate/error.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import { listWebhookAttempts, replayWebhook, showWebhookEvent } from '../../../operate/webhook-events.ts'
import { replayFailed } from '../../../operate/webhook-replay.ts'
import { testWebhook } from '../../../operate/webhook-sample.ts'
import type { ShownWebhookAttempt, WebhookDialect } from '../../../store/store.ts'
import { cursorPage } from '../../cursor-page.ts'
import type { AttemptJson, WEBHOOK_MESSAGE_ROUTES } from '../contract/webhooks.ts'
import type { Handlers } from '../handlers.ts'
import { companyWebhook } from './webhook-lookup.ts'

function attemptJson(tried: ShownWebhookAttempt, dialect: WebhookDialect): AttemptJson {
  const { id, webhookId, type, emailId, recipient, attempt, at, duration, succeeded } = tried
  const { status, error, response, nextAt } = tried
  return {
    id,
    message: messageId(webhookId, tried),
    type,
    email: emailId,
    recipient,
    attempt,
    succeeded,
    // Types without a word in the dialect are never sent.
    word: wordOfType(dialect, type) ?? type,
    at: isoTime(at),
    duration: Math.round(duration),
    status,
    error,
    response,
    nextAt: isoTime(nextAt),
  }
}

export const webhookMessageHandlers: Handlers<typeof WEBHOOK_MESSAGE_ROUTES> = {
  'GET /companies/:company/webhooks/:id/attempts': async ({
    op,
    company,
    params: { id },
    query: { limit, result, message, before },
  }) => {
    const owned = await companyWebhook(op, company, id)
    const succeeded = result === undefined ? {} : { succeeded: result === 'succeeded' }
    const { data, more } = await cursorPage(
      { limit, after: before },
      (page) =>
        listWebhookAttempts(op, { id, event: message, before: page.after, limit: page.limit, ...succeeded }),
      (attempt) => attempt.id,
    )
    return { data: data.map((attempt) => attemptJson(attempt, owned.webhook.dialect)), more }
  },

  'GET /companies/:company/webhooks/:id/messages/:message': async ({ op, company, params }) => {
    await companyWebhook(op, company, params.id)
    const { status, nextAt, payload } = await showWebhookEvent(op, { id: params.id, event: params.message })
    return { status, nextAt: isoTime(nextAt), body: JSON.stringify(payload, null, 2) }
  },

  'POST /companies/:company/webhooks/:id/messages/:message/replay': async ({
    op,
    company,
    params: { id, message: event },
  }) => {
    await companyWebhook(op, company, id)
    await replayWebhook(op, { id, event })
    return {}
  },

  'POST /companies/:company/webhooks/:id/replay': async ({
    op,
    company,
    params: { id },
    body: { since: text, what, from },
  }) => {
    await companyWebhook(op, company, id)
    const since = Date.parse(text)
    if (Number.isNaN(since)) throw new OperateError('invalid', `"${text}" is not a time`)
    if (what === 'everything') {
      await replayWebhook(op, { id, since })
      return { told: null, next: null }
    }
    return await replayFailed(op, { id, since, from })
  },

  'POST /companies/:company/webhooks/:id/test': async ({ op, company, params: { id }, body: { event } }) => {
    await companyWebhook(op, company, id)
    const { headers, ...tested } = await testWebhook(op, { id, event })
    const named = Object.entries(headers).map(([name, value]) => ({ name, value }))
    return { ...tested, headers: named }
  },
}
