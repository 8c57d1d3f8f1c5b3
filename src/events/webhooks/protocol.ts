/** What the main thread and the thread that tells webhooks say to each other. Plain data only. */
import type { DatabaseChoice } from '../../store/open.ts'
import type { WebhookProgress } from '../../store/store.ts'
import type { WebhooksInState } from './dispatcher.ts'
import type { OpenWebhook, WebhookState } from './endpoint.ts'
import type { WebhookSchedule } from './schedule.ts'

export interface WebhookThreadData {
  database: DatabaseChoice
  dnsServers: string[]
  allowPrivateNetworks: boolean
  schedule: WebhookSchedule
  userAgent: string
}

export type ToWebhookThread =
  /** The webhooks that this node has now, under its token; and where the service is reached. */
  | { kind: 'held'; token: number; base: string; webhooks: OpenWebhook[] }
  /** The answer to a call. */
  | { kind: 'answer'; call: number; value: boolean }
  | { kind: 'failed'; call: number; message: string }
  | { kind: 'close' }

export type FromWebhookThread =
  | { kind: 'commit'; call: number; progress: WebhookProgress }
  | { kind: 'prune'; call: number; id: string }
  /** Something that is waited for. */
  | { kind: 'fault'; error: Error }
  /** Of tries since it was last said; and how the webhooks of this node fare now. */
  | { kind: 'figures'; succeeded: number; failed: number; states: Map<WebhookState, WebhooksInState> }
  /** Another node may have this one. */
  | { kind: 'left'; id: string; token: number }
  | { kind: 'closed' }
