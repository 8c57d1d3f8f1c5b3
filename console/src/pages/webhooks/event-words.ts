/** Descriptions of the event types, for the choice of events. */

import type { EventWords } from '../../api/webhooks.ts'
import { capitalized } from '../../parts/capitalized.ts'

type WebhookEventType = EventWords['json'][number]['types'][number]

const ABOUT: Readonly<Record<WebhookEventType, string>> = {
  queued: 'the email was accepted',
  scheduled: 'the email waits for its scheduled time',
  sent: 'the email was accepted and is on its way',
  delivered: 'the recipient’s server accepted the email',
  delivery_delayed: 'the email could not be delivered yet',
  bounced: 'the recipient’s server rejected the email permanently',
  complained: 'the recipient reported the email as spam',
  opened: 'the recipient opened the email',
  clicked: 'the recipient clicked a link',
  failed: 'the email could not be delivered, and Postroad gave up',
  suppressed: 'the email was not sent because the address is suppressed',
  canceled: 'the email was canceled before it was sent',
  unsubscribed: 'the recipient unsubscribed',
  'domain.created': 'a sending domain was added',
  'domain.updated': 'DNS has the records of a sending domain, or has lost them',
  'domain.deleted': 'a sending domain was removed',
  'webhook.disabled': 'a webhook was disabled',
  'webhook.enabled': 'a webhook was enabled',
  'problem.started': 'your company has a problem: see Settings',
  'problem.ended': 'a problem is over',
}

export function aboutTypes(types: readonly WebhookEventType[]): string {
  return `${capitalized(types.map((type) => ABOUT[type]).join('; or '))}.`
}
