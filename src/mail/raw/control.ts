/**
 * The fields of a ready message that are wishes of the sender to the service, not part of what is sent: X-Mailgun-*,
 * and Resend-Idempotency-Key, which clients of SMTP send.
 */
import { decodeText } from './decode.ts'
import type { RawField } from './header.ts'

export interface ControlField {
  /** As written. */
  name: string
  /** Encoded words decoded, trimmed. */
  value: string
}

/** In the order of the header; names may repeat. What they mean is for the protocol that knows them to say. */
export type RawControl = readonly ControlField[]

/** As clients write it; in lower case. */
export const IDEMPOTENCY_FIELD = 'resend-idempotency-key'

export const isControlField = (lower: string) => lower.startsWith('x-mailgun-') || lower === IDEMPOTENCY_FIELD

export function readControl(fields: readonly RawField[]): RawControl {
  return fields
    .filter(({ lower }) => isControlField(lower))
    .map(({ name, value }) => ({ name, value: decodeText(value).trim() }))
}
