import type { ApiKey } from '../../api/keys.ts'

type Scope = ApiKey['scopes'][number]

/** What a key may do, as people choose it. */
export const SCOPES: readonly { scope: Scope; label: string; about: string }[] = [
  { scope: 'sending', label: 'Send', about: 'Send mail, and cancel or reschedule what waits.' },
  { scope: 'reading', label: 'Read', about: 'See what became of mail: emails, events, totals.' },
  {
    scope: 'management',
    label: 'Manage',
    about: 'Change domains, keys, webhooks and suppressions of the company.',
  },
]

export function labelOf(scope: Scope): string {
  return SCOPES.find((each) => each.scope === scope)?.label ?? scope
}
