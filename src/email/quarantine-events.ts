/** What is told of an email that is put into quarantine and released from it: events of types that everybody knows. */
import type { EventDetail, EventType } from './event.ts'

interface RecipientEvent {
  recipient: number
  type: EventType
  /** Unix ms. */
  at: number
  detail: EventDetail
}

export const RELEASED = 'Released from quarantine by the operator'

export function setAsideEvent(recipient: number, at: number, message: string): RecipientEvent {
  return { recipient, type: 'delivery_delayed', at, detail: { message } }
}

export function releasedEvent(recipient: number, at: number): RecipientEvent {
  return { recipient, type: 'queued', at, detail: { message: RELEASED } }
}
