/** Webhooks: endpoints, who tells them, what is told again, and what became of it. */
import type { NewCompanyEvent } from '../email/company-event.ts'
import type {
  HeldWebhook,
  Webhook,
  WebhookAttempt,
  WebhookAttemptFilter,
  WebhookAttemptsKept,
  WebhookChange,
  WebhookEvent,
  WebhookEventFilter,
  WebhookProgress,
  WebhookRetry,
} from './webhook.ts'

export interface WebhookStore {
  /** In the order they were made. */
  webhooks(filter: { companyId?: string; id?: string }): Promise<Webhook[]>
  /** StoreConflict when the domain is not the company's. OverLimit: it has as many as it may have. */
  addWebhook(webhook: Webhook): Promise<void>
  /**
   * False when there is none. A cursor that moves back makes everything behind it be told again. `event`: what the
   * change is to its company, for the log; in the same commit.
   */
  updateWebhook(id: string, change: WebhookChange, event?: NewCompanyEvent): Promise<boolean>
  /** With its attempts. False when there is none. */
  removeWebhook(id: string): Promise<boolean>
  /**
   * This event is told (again) as soon as can be, whole or of these recipients. False when there is no such webhook.
   */
  retellWebhook(id: string, number: number, now: number, parts?: readonly number[]): Promise<boolean>

  /** What a company signs webhooks of the form dialect with, sealed; null: it has none yet. */
  signingKey(companyId: string): Promise<Uint8Array | null>
  /** With `replace` instead of the one there is; without it that one stays. Gives the one there is now. */
  setSigningKey(companyId: string, sealed: Uint8Array, replace: boolean): Promise<Uint8Array>

  /**
   * Takes enabled webhooks that no node in service has, up to this node's share of them all, and gives those that are
   * this node's now. Of what it has beyond its share it is told: `leaveWebhooks` gives it to the others.
   */
  takeWebhooks(token: number): Promise<HeldWebhook[]>
  /** No more this node's: any other may take them at once. With an id only that one. */
  leaveWebhooks(token: number, id?: string): Promise<void>
  /** Those that are due, the earliest first. */
  webhookRetries(id: string, dueBefore: number, limit: number): Promise<WebhookRetry[]>
  /** In one commit. False when the webhook is not this node's any more, or was changed: then nothing is kept. */
  progressWebhook(progress: WebhookProgress): Promise<boolean>

  /** Newest first. */
  webhookAttempts(filter: WebhookAttemptFilter): Promise<WebhookAttempt[]>
  /** Of these attempts: newest first. */
  webhookEvents(filter: WebhookEventFilter): Promise<WebhookEvent[]>
  /** Removes attempts beyond those that are kept. A bounded step. */
  pruneWebhookAttempts(id: string, kept: WebhookAttemptsKept): Promise<void>
  /** The number of the last event before this time, as the log's order has it; 0 when there is none. */
  lastEventBefore(at: number): Promise<number>
}
