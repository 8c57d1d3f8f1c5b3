/** The subject of one message of a webhook, as the store identifies it. */
import type { LogEntry } from '../../email/company-event.ts'
import { type EventNotice, WHOLE } from '../../email/event-notice.ts'
import type { WebhookSubject } from '../../store/store.ts'

export function subjectOf({
  event: { number },
  part,
}: Pick<EventNotice<LogEntry>, 'event' | 'part'>): WebhookSubject {
  return part === WHOLE ? { number } : { number, part }
}

/** Equal subjects have equal keys. */
export function keyOf({ number, part = WHOLE }: WebhookSubject): string {
  return `${number} ${part}`
}
