/** A request as a dialect reads it: one shape for every way to submit a message. Nothing here is checked yet. */

import type { MessageTls } from '../common/required-tls.ts'
import type { Arrival } from '../mail/header/received.ts'
import type { Idempotency } from '../store/store.ts'

export interface SubmittedAttachment {
  filename: string
  /** Absent: derived from the file name. */
  contentType?: string
  content: Uint8Array
  /** A URL to fetch the content from: `content` is empty until then (`placeFiles`). */
  path?: string
  disposition: 'attachment' | 'inline'
  contentId?: string
}

/** The source that a sender requests for a message. */
export interface RequestedSource {
  /** An address, or the name of a pool. */
  name: string
  /** The field of the request that names it. */
  field: string
}

export interface Submission {
  /** The sending domain named in the path (form dialect); the JSON dialect takes it from `from`. */
  domain?: string
  /** Address fields: each string may hold several comma-separated mailboxes. Empty array or string: absent. */
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  subject: string
  html?: string
  /** `''` opts out of deriving text from `html`; absent asks for it. */
  text?: string
  /** AMP for Email, in addition to `html` or `text`. */
  amp?: string
  headers: [name: string, value: string][]
  attachments: SubmittedAttachment[]
  /** A ready MIME message (messages.mime); then only `to` and the options of the request count. */
  raw?: Uint8Array
  /** How a ready message came in, for its Received field; absent: none is written. */
  arrival?: Arrival
  /** Batch sending: values to fill in, by plain recipient address. `{}` also switches it on. */
  recipientVariables?: Record<string, Record<string, string>>
  tags: { name: string; value: string }[]
  /** Custom data of the sender (`v:` fields), kept with the email. */
  variables: Record<string, string>
  /** Unix time in milliseconds before which nothing is sent. */
  dueAt?: number
  /** The email is accepted and recorded, and the simulator ends it; nothing is sent. */
  testMode: boolean
  /** Milliseconds after the time of sending at which the message is given up; absent: the retry schedule decides. */
  deliverWithin?: number
  /** The encryption that this message demands, in addition to that of its domain. */
  tls?: MessageTls
  source?: RequestedSource
  /** `<x@y>` to use instead of a generated Message-ID; in batch sending it may have placeholders. */
  messageId?: string
  /** The same key and fingerprint within a day get the same answer, and nothing is sent twice. */
  idempotency?: Idempotency
}
