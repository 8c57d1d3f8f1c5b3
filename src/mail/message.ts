/** The parts of a message: stored once, and composed into octets. */

/** A file attached to a message. */
export interface Attachment {
  /** File name as the recipient sees it; never empty, no CR, LF, NUL or path. */
  filename: string
  /** Media type, e.g. `application/pdf`; already checked to be a valid `type/subtype` with optional parameters. */
  contentType: string
  content: Uint8Array
  /** `inline` files are referenced from the HTML as `cid:<contentId>` and stand in multipart/related. */
  disposition: 'attachment' | 'inline'
  /** Without angle brackets. */
  contentId?: string
}

/** A body is a string or, when it is large and crosses threads, its UTF-8 (body.ts). */
export type MessageBody = string | Uint8Array

/**
 * Everything that determines the bytes of a composed message, except its boundary. The same value always composes to
 * the same bytes: date and Message-ID are part of it. `Text`: the type of its bodies, `MessageBody` when the content
 * crosses threads.
 */
export interface MessageContent<Text extends MessageBody = string> {
  /** Mailbox as the sender wrote it, e.g. `"Doe, Jane" <jane@x.test>`. Valid for `parseAddressList`. */
  from: string
  /** Mailboxes, one string each, as the sender wrote them. */
  to: string[]
  cc: string[]
  replyTo: string[]
  subject: string
  /** Absent when the message has no HTML part. */
  html?: Text
  /** Absent when the message has no text part. */
  text?: Text
  /** The AMP for Email part (text/x-amp-html), in addition to html or text; absent when there is none. */
  amp?: Text
  /** Custom header fields in order; reserved ones are already gone. Names are valid RFC 5322 field names. */
  headers: [name: string, value: string][]
  attachments: Attachment[]
  /** With angle brackets: `<local@domain>`. */
  messageId: string
  /** Unix time in milliseconds; becomes the `Date` field unless `headers` holds one. */
  date: number
}
