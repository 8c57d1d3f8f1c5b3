/** The X-Mailgun-* fields of a ready message: wishes of the sender to the service, not part of what is sent. */
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

export const isControlField = (lower: string) => lower.startsWith('x-mailgun-')

export function readControl(fields: readonly RawField[]): RawControl {
  return fields
    .filter(({ lower }) => isControlField(lower))
    .map(({ name, value }) => ({ name, value: decodeText(value).trim() }))
}
