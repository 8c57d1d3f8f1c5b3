import type { ApiKey } from '../../api/keys.ts'

type ScopeName = ApiKey['scopes'][number]

/** The permissions of a key, as the console offers them. */
export const SCOPES: readonly { scope: ScopeName; label: string; about: string }[] = [
  { scope: 'sending', label: 'Send', about: 'Send emails, and cancel or reschedule waiting ones.' },
  { scope: 'reading', label: 'Read', about: 'Read emails, events and totals.' },
  {
    scope: 'management',
    label: 'Manage',
    about: 'Manage the company’s domains, keys, webhooks and suppressions.',
  },
]

export function labelOf(scope: ScopeName): string {
  return SCOPES.find((each) => each.scope === scope)?.label ?? scope
}
