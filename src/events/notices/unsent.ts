/**
 * Webhook events that the original APIs document and this service never sends, because it receives no mail, keeps no
 * contacts, and reports only on emails and domains. Clients request all documented names at once (`resend webhooks
 * listen`, `--events all`), so a webhook may name them, and is shown with them.
 */
import { COMPANY_EVENT_TYPES, type EntryType } from '../../email/company-event.ts'
import { EVENT_TYPES } from '../../email/event.ts'
import type { UnsentWord, WebhookDialect, WebhookType } from '../../store/store.ts'

export const UNSENT_WORDS: Readonly<Record<WebhookDialect, readonly UnsentWord[]>> = {
  json: [
    'email.received',
    ...['contact.created', 'contact.updated', 'contact.deleted', 'contact.topics.updated'],
    ...['suppression.added', 'suppression.removed'],
    ...['topic.created', 'topic.updated', 'topic.deleted'],
    ...['inbox.created', 'inbox.updated', 'inbox.deleted'],
    ...['inbox.thread.created', 'inbox.thread.folder.updated', 'inbox.thread.labels.updated'],
    ...['inbox.thread.assigned', 'inbox.thread.unassigned'],
    ...['inbox.email.received', 'inbox.email.sent'],
    ...['inbox.draft.created', 'inbox.draft.updated', 'inbox.draft.sent', 'inbox.draft.deleted'],
  ] as const satisfies UnsentWord[],
  form: [],
}

export function isUnsent(dialect: WebhookDialect, word: string): word is UnsentWord {
  return (UNSENT_WORDS[dialect] as readonly string[]).includes(word)
}

/** Returns the types of which there are events. */
export function eventTypesIn(types: readonly WebhookType[]): EntryType[] {
  return types.filter((type): type is EntryType => ENTRY_TYPES.has(type))
}

const ENTRY_TYPES: ReadonlySet<string> = new Set([...EVENT_TYPES, ...COMPANY_EVENT_TYPES])
