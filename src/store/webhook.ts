/** Webhooks as the store has them: the endpoints that a company's events are sent to, and the attempts to send them. */
import type { EntryType, NewCompanyEvent } from '../email/company-event.ts'

/** The API whose format the events have. */
export type WebhookDialect = 'json' | 'form'
type WebhookStatus = 'enabled' | 'disabled'

/** A documented event name of a dialect that is never sent. */
export type UnsentWord = `${string}.${string}`
export type WebhookType = EntryType | UnsentWord

/** An endpoint: one URL that receives the events of a company's mail. */
export interface Webhook {
  id: string
  companyId: string
  /** Only events of mail of this sending domain; null: of all. */
  domainId: string | null
  dialect: WebhookDialect
  url: string
  /** The event types to send; empty: all. */
  types: WebhookType[]
  status: WebhookStatus
  /** Sealed. Not used in the form dialect, which signs with the company's signing key. */
  secret: Uint8Array
  /** The secret before, which also signs for a while, and the time of the change; null: there is none. */
  previousSecret: Uint8Array | null
  rotatedAt: number | null
  createdAt: number
  /** Every attempt since then has failed; null: the endpoint answers, or was never called. */
  failingSince: number | null
  disabledAt: number | null
  disabledReason: string | null
  /** The number of the event up to which all events were sent, or wait to be sent again. */
  cursor: number
}

export type WebhookChange = Partial<
  Pick<
    Webhook,
    | 'url'
    | 'types'
    | 'status'
    | 'secret'
    | 'previousSecret'
    | 'rotatedAt'
    | 'failingSince'
    | 'disabledAt'
    | 'disabledReason'
    | 'cursor'
  >
>

/** A webhook assigned to a node. */
export interface AssignedWebhook extends Webhook {
  /** Rises when somebody other than its node changes its status or cursor. */
  generation: number
  /** Unix ms at which the first of its retries is due; null: none waits. */
  retryAt: number | null
  /** True when the node has more webhooks than its share, and another node should take this one. */
  spare: boolean
}

/** The subject of one message to a webhook: an event, or the event for one recipient of its email. */
export interface WebhookSubject {
  /** Number of the event. */
  number: number
  /** Position of the recipient; absent: the event is sent whole. */
  part?: number
}

/** An event that is sent again. */
export interface WebhookRetry extends WebhookSubject {
  /** Attempts made so far; 0 when it is sent again by hand. */
  attempts: number
  /** Unix ms. */
  dueAt: number
}

/** One attempt to send one event. */
export interface WebhookAttempt extends WebhookSubject {
  /** UUIDv7. */
  id: string
  webhookId: string
  type: EntryType
  /** Null: it is an event of the company. */
  emailId: string | null
  /** Unix ms, and the duration in milliseconds. */
  at: number
  duration: number
  /** Status of the HTTP response; null: there was none, and `error` says why. */
  status: number | null
  error: string | null
  /** The beginning of the response's body. */
  response: string
  succeeded: boolean
  /** Number of the attempt, from 1. */
  attempt: number
  /** Unix ms of the next attempt; null: none follows. */
  nextAt: number | null
}

/** An attempt as people read it. */
export interface ShownWebhookAttempt extends WebhookAttempt {
  /** The address that the event is about; null: it is about a whole email or the company, or no longer stored. */
  recipient: string | null
}

/** An event that was sent to a webhook, as far as its attempts are kept. */
export interface WebhookEvent extends WebhookSubject {
  /** Type of the event, and its email; null: it is an event of the company. */
  type: EntryType
  emailId: string | null
  /** Unix ms of the event, or of the attempt if the event is no longer in the log. */
  at: number
  /** Whether the newest attempt succeeded. */
  succeeded: boolean
  /** The pending retry: attempts made, 0 when it was requested by hand, and its time; null: there is none. */
  retry: { attempts: number; dueAt: number } | null
}

/** The progress of a webhook since the last one. */
export interface WebhookProgress {
  id: string
  /** Token of the node that has it, and the generation that the node has. */
  token: number
  generation: number
  cursor: number
  failingSince: number | null
  /**
   * Retries that were sent or given up, with the due time at which they were read. A retry that was requested again
   * meanwhile has another due time, and stays.
   */
  over: WebhookRetry[]
  /** Events that wait now, or wait longer. */
  waiting: WebhookRetry[]
  attempts: WebhookAttempt[]
  /** The event to log when the webhook is disabled, with the time and the reason; null: it is not. */
  disabled: NewCompanyEvent | null
}

export interface WebhookAttemptFilter {
  webhookId: string
  /** Only attempts that failed, or that succeeded. */
  succeeded?: boolean
  /** Only attempts for this event, and for this recipient of it. */
  number?: number
  part?: number
  /** Only attempts older than this one (paging, newest first). */
  before?: string
  limit: number
}

/**
 * Attempts to keep for each webhook: this many of the newest successful and of the newest failed ones, and all failed
 * ones since a time (Unix ms).
 */
export interface AttemptRetention {
  succeeded: number
  failed: number
  failedSince: number
}

export interface WebhookEventFilter {
  webhookId: string
  /** Only events with lower numbers, and parts of that event with lower positions (paging, newest first). */
  before?: number
  beforePart?: number
  limit: number
}
