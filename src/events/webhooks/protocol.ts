/** The messages between the main thread and the webhook thread. Plain data only. */
import type { DatabaseChoice } from '../../store/open.ts'
import type { WebhookProgress } from '../../store/store.ts'
import type { WebhooksInState } from './dispatcher.ts'
import type { OpenWebhook, WebhookState } from './endpoint.ts'
import type { WebhookSchedule } from './schedule.ts'

export interface WebhookThreadData {
  database: DatabaseChoice
  dnsServers: string[]
  dnsValidating: string[]
  allowPrivateNetworks: boolean
  /** Addresses of this machine, too. */
  allowLoopback: boolean
  schedule: WebhookSchedule
  userAgent: string
}

export type ToWebhookThread =
  /** The webhooks of this node, under its token, and the base URL of the service. */
  | { kind: 'held'; token: number; base: string; webhooks: OpenWebhook[] }
  /** The result of a call. */
  | { kind: 'answer'; call: number; value: boolean }
  | { kind: 'failed'; call: number; message: string }
  | { kind: 'close' }

export type FromWebhookThread =
  | { kind: 'commit'; call: number; progress: WebhookProgress }
  | { kind: 'prune'; id: string }
  /** A fault that may be temporary. The thread waits and tries again. */
  | { kind: 'fault'; error: Error }
  /** Attempts since the last report, and the states of this node's webhooks now. */
  | { kind: 'figures'; succeeded: number; failed: number; states: Map<WebhookState, WebhooksInState> }
  /** Another node may take this webhook. */
  | { kind: 'left'; id: string; token: number }
  | { kind: 'closed' }
