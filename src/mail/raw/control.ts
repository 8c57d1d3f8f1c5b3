/**
 * The fields of a ready message that are requests to the service and are not sent: X-Mailgun-*, and
 * Resend-Idempotency-Key, which SMTP clients send.
 */
import { decodeText } from './decode.ts'
import type { RawField } from './header.ts'

export interface ControlField {
  /** As written. */
  name: string
  /** Encoded words decoded, trimmed. */
  value: string
}

/** In the order of the header; names may repeat. The protocol that they belong to gives them their meaning. */
export type RawControl = readonly ControlField[]

/** In lower case. */
export const IDEMPOTENCY_FIELD = 'resend-idempotency-key'

export const isControlField = (lower: string) => lower.startsWith('x-mailgun-') || lower === IDEMPOTENCY_FIELD

export function readControl(fields: readonly RawField[]): RawControl {
  return fields
    .filter(({ lower }) => isControlField(lower))
    .map(({ name, value }) => ({ name, value: decodeText(value).trim() }))
}
