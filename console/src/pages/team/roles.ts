import type { Role } from '../../../../src/people/person.ts'

/** The roles, with what each may do. */
export const ROLE_WORDS: Readonly<Record<Role, { label: string; about: string }>> = {
  owner: { label: 'Owner', about: 'does everything a developer does, and manages the people of the company' },
  developer: { label: 'Developer', about: 'sends, and changes domains, keys, webhooks and suppressions' },
  viewer: { label: 'Viewer', about: 'sees emails and settings' },
}

export const ROLE_CHOICES = Object.entries(ROLE_WORDS).map(([value, { label }]) => ({ value, label }))
