/** What the types of events are about, for who chooses among the words that stand for them. */
import type { WebhookWords } from '../../api/webhooks.ts'

type EventType = WebhookWords['json'][number]['types'][number]

const ABOUT: Readonly<Record<EventType, string>> = {
  queued: 'it was accepted',
  scheduled: 'it waits for the time its sender gave',
  sent: 'it was accepted and is on its way',
  delivered: 'the recipient’s server has taken it',
  delivery_delayed: 'it is tried again later',
  bounced: 'the recipient’s server has refused it for good',
  complained: 'its recipient has reported it as spam',
  opened: 'its recipient has opened it',
  clicked: 'its recipient has followed a link',
  failed: 'it was given up',
  suppressed: 'it was not sent: the address is suppressed',
  canceled: 'it was stopped before it was sent',
  unsubscribed: 'its recipient wants no more of this mail',
}

export function aboutTypes(types: readonly EventType[]): string {
  const text = types.map((type) => ABOUT[type]).join('; or ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
