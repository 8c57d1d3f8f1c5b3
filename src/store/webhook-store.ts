/** Webhooks: endpoints, the nodes that call them, events to send again, and attempts. */
import type { NewCompanyEvent } from '../email/company-event.ts'
import type {
  AssignedWebhook,
  AttemptRetention,
  ShownWebhookAttempt,
  Webhook,
  WebhookAttemptFilter,
  WebhookChange,
  WebhookEvent,
  WebhookEventFilter,
  WebhookProgress,
  WebhookRetry,
  WebhookSubject,
} from './webhook.ts'

export interface WebhookStore {
  /** Webhooks in the order of their creation. */
  webhooks(filter: { companyId?: string; id?: string }): Promise<Webhook[]>
  /**
   * Adds a webhook. StoreConflict when the domain is not the company's. OverLimit when the company may have no further
   * webhook.
   */
  addWebhook(webhook: Webhook): Promise<void>
  /**
   * Changes a webhook. False when there is none. If the cursor moves back, all events after it are sent again. `event`:
   * the change as an event of the company, logged in the same commit.
   */
  updateWebhook(id: string, change: WebhookChange, event?: NewCompanyEvent): Promise<boolean>
  /** Removes a webhook with its attempts. False when there is none. */
  removeWebhook(id: string): Promise<boolean>
  /**
   * Sends these events as soon as possible, whether or not they were sent before. False when there is no such webhook.
   */
  replayWebhook(id: string, subjects: readonly WebhookSubject[], now: number): Promise<boolean>

  /** The key with which a company's webhooks of the form dialect are signed, sealed; null: it has none yet. */
  signingKey(companyId: string): Promise<Uint8Array | null>
  /** Sets the signing key. Without `replace`, an existing key stays. Returns the key that is now in use. */
  setSigningKey(companyId: string, sealed: Uint8Array, replace: boolean): Promise<Uint8Array>

  /**
   * Assigns enabled webhooks without a node in service to this node, up to its share, and returns all webhooks that
   * this node now has. Those beyond its share are marked as `spare`; `leaveWebhooks` gives them to other nodes.
   */
  takeWebhooks(token: number): Promise<AssignedWebhook[]>
  /** Gives up the node's webhooks, or only the one with this id: any other node may take them at once. */
  leaveWebhooks(token: number, id?: string): Promise<void>
  /** Retries that are due, the earliest first. */
  webhookRetries(id: string, dueBefore: number, limit: number): Promise<WebhookRetry[]>
  /**
   * Writes the progress in one commit. False when another node has the webhook or the webhook was changed; then nothing
   * is written.
   */
  progressWebhook(progress: WebhookProgress): Promise<boolean>

  /** Newest first. */
  webhookAttempts(filter: WebhookAttemptFilter): Promise<ShownWebhookAttempt[]>
  /** The events of the kept attempts, newest first. */
  webhookEvents(filter: WebhookEventFilter): Promise<WebhookEvent[]>
  /** Removes attempts that need not be kept, in a bounded step. */
  pruneWebhookAttempts(id: string, kept: AttemptRetention): Promise<void>
  /** The number of the last event before this time, in the log's order; 0 when there is none. */
  lastEventBefore(at: number): Promise<number>
}
