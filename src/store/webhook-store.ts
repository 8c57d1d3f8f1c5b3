/** Webhooks: endpoints, the nodes that call them, events to send again, and attempts. */
import type { NewCompanyEvent } from '../email/company-event.ts'
import type {
  AssignedWebhook,
  AttemptRetention,
  Webhook,
  WebhookAttempt,
  WebhookAttemptFilter,
  WebhookChange,
  WebhookEvent,
  WebhookEventFilter,
  WebhookProgress,
  WebhookRetry,
  WebhookSubject,
} from './webhook.ts'

export interface WebhookStore {
  /** In the order in which they were made. */
  webhooks(filter: { companyId?: string; id?: string }): Promise<Webhook[]>
  /** StoreConflict when the domain is not the company's. OverLimit when it may have no further one. */
  addWebhook(webhook: Webhook): Promise<void>
  /**
   * False when there is none. A cursor that moves back makes all later events be sent again. `event`: the change as an
   * event of the company, logged in the same commit.
   */
  updateWebhook(id: string, change: WebhookChange, event?: NewCompanyEvent): Promise<boolean>
  /** Removes it with its attempts. False when there is none. */
  removeWebhook(id: string): Promise<boolean>
  /**
   * Sends these events (again) as soon as possible. False when there is no such webhook.
   */
  retellWebhook(id: string, subjects: readonly WebhookSubject[], now: number): Promise<boolean>

  /** The key with which a company's webhooks of the form dialect are signed, sealed; null: it has none yet. */
  signingKey(companyId: string): Promise<Uint8Array | null>
  /** With `replace` the existing key is replaced; without it that one stays. Returns the present key. */
  setSigningKey(companyId: string, sealed: Uint8Array, replace: boolean): Promise<Uint8Array>

  /**
   * Takes enabled webhooks that no node in service has, up to this node's share, and returns those that are this node's
   * now. Those beyond its share are marked: `leaveWebhooks` leaves them to other nodes.
   */
  takeWebhooks(token: number): Promise<AssignedWebhook[]>
  /** The webhooks are no longer this node's: any other may take them at once. With an id only that one. */
  leaveWebhooks(token: number, id?: string): Promise<void>
  /** Retries that are due, the earliest first. */
  webhookRetries(id: string, dueBefore: number, limit: number): Promise<WebhookRetry[]>
  /** In one commit. False when the webhook is not this node's any more, or was changed: then nothing is stored. */
  progressWebhook(progress: WebhookProgress): Promise<boolean>

  /** Newest first. */
  webhookAttempts(filter: WebhookAttemptFilter): Promise<WebhookAttempt[]>
  /** The events of the kept attempts, newest first. */
  webhookEvents(filter: WebhookEventFilter): Promise<WebhookEvent[]>
  /** Removes attempts beyond those to keep, in a bounded step. */
  pruneWebhookAttempts(id: string, kept: AttemptRetention): Promise<void>
  /** The number of the last event before this time, in the log's order; 0 when there is none. */
  lastEventBefore(at: number): Promise<number>
}
