/**
 * RFC 5322 3.6, RFC 2045 3: fields that may occur only once. When one occurs twice, readers differ in which they take,
 * and big receivers refuse the message. Lower case.
 */
export const OCCURS_ONCE: ReadonlySet<string> = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'message-id',
  'in-reply-to',
  'references',
  'subject',
  'date',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
])
