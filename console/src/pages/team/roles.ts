import type { Role } from '../../../../src/people/person.ts'

/** As they are chosen, with what each may do. */
export const ROLE_WORDS: Readonly<Record<Role, { label: string; about: string }>> = {
  owner: { label: 'Owner', about: 'everything a developer may, and says who belongs to the company' },
  developer: { label: 'Developer', about: 'sends, and changes domains, keys, webhooks and suppressions' },
  viewer: { label: 'Viewer', about: 'sees what became of mail and what is set up' },
}

export const ROLE_CHOICES = Object.entries(ROLE_WORDS).map(([value, { label }]) => ({ value, label }))
