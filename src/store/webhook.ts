/** Webhooks as the store has them: where the events of a company are told to, and what became of each telling. */
import type { NewCompanyEvent } from '../email/company-event.ts'
import type { EventType } from '../email/event.ts'

/** The API in whose words events are told. */
export type WebhookDialect = 'json' | 'form'
export type WebhookStatus = 'enabled' | 'disabled'

/** A documented event name of a dialect that is never sent. It contains a dot, which no event type does. */
export type UnsentWord = `${string}.${string}`
export type WebhookType = EventType | UnsentWord

/** An endpoint: one URL that is told what happens to a company's mail. */
export interface Webhook {
  id: string
  companyId: string
  /** Only of mail of this sending domain; null: of all. */
  domainId: string | null
  dialect: WebhookDialect
  url: string
  /** What is told; empty: everything. */
  types: WebhookType[]
  status: WebhookStatus
  /** Sealed. In the form dialect the signing key of the company is used, and this is not. */
  secret: Uint8Array
  /** The one before, which signs too for a while, and when it was replaced; null: there is none. */
  previousSecret: Uint8Array | null
  rotatedAt: number | null
  createdAt: number
  /** Since when nothing but failures; null: it answers, or was never asked. */
  failingSince: number | null
  disabledAt: number | null
  disabledReason: string | null
  /** The number of the event up to which everything was told, or waits to be told again. */
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

/** A webhook that a node has. */
export interface HeldWebhook extends Webhook {
  /** Another one after every change that is not the node's own. */
  generation: number
  /** Unix ms when the first of its retries is due; null: none waits. */
  retryAt: number | null
  /** Beyond this node's share: another node is to have it. */
  spare: boolean
}

/** What a webhook is told at a time: an event, or what it tells of one of the recipients of its email. */
export interface WebhookTelling {
  /** Of the event. */
  number: number
  /** Position of the recipient; absent: it is told whole. */
  part?: number
}

/** An event that is told again. */
export interface WebhookRetry extends WebhookTelling {
  /** Made so far; 0 when it is told again by hand. */
  attempts: number
  /** Unix ms. */
  dueAt: number
}

/** One try of telling one event. */
export interface WebhookAttempt extends WebhookTelling {
  /** UUIDv7. */
  id: string
  webhookId: string
  type: EventType
  emailId: string
  /** Unix ms, and how long it took. */
  at: number
  duration: number
  /** Of the HTTP answer; null: none came, and `error` says why. */
  status: number | null
  error: string | null
  /** How the answer's body begins. */
  response: string
  succeeded: boolean
  /** Which try it was, from 1. */
  attempt: number
  /** Unix ms of the next; null: none follows. */
  nextAt: number | null
}

/** An event that a webhook was told, as far as tries of it are kept. */
export interface WebhookEvent extends WebhookTelling {
  /** Of the event, and its email. */
  type: EventType
  emailId: string
  /** Unix ms: when it happened; when it was tried, where the log has it no more. */
  at: number
  /** Whether the newest try succeeded. */
  succeeded: boolean
  /** It is told again: tries made, 0 when it is by hand, and when; null: it is not. */
  retry: { attempts: number; dueAt: number } | null
}

/** What has come of a webhook since it was last said. */
export interface WebhookProgress {
  id: string
  /** Of the node that has it, and the generation it has. */
  token: number
  generation: number
  cursor: number
  failingSince: number | null
  /** Told, or given up: they wait no more. */
  over: WebhookTelling[]
  /** Those that wait now, or wait longer. */
  waiting: WebhookRetry[]
  attempts: WebhookAttempt[]
  /** It is given up as a whole: the event of that, with its time and the reason. */
  disabled: NewCompanyEvent | null
}

export interface WebhookAttemptFilter {
  webhookId: string
  /** Only those that failed, or that did not. */
  succeeded?: boolean
  /** Only of this event, and of it only what was told of this recipient. */
  number?: number
  part?: number
  /** Only attempts older than this one (paging, newest first). */
  before?: string
  limit: number
}

/** Of each webhook: the newest so many that succeeded, and so many that failed, these since a time (Unix ms). */
export interface WebhookAttemptsKept {
  succeeded: number
  failed: number
  failedSince: number
}

export interface WebhookEventFilter {
  webhookId: string
  /**
   * Only events with lower numbers (paging, newest first), and of that event what was told of recipients before one.
   */
  before?: number
  beforePart?: number
  limit: number
}
