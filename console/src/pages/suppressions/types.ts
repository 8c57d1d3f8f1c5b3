import type { SuppressionType } from '../../api/suppressions.ts'

/** The two lists of a company. */
export type ListName = 'suppressions' | 'allowed'

/** The types of suppressions, in words for people. */
export const TYPES: Readonly<Record<SuppressionType, { word: string; color: string; about: string }>> = {
  bounce: { word: 'Bounce', color: 'red', about: 'The server said that the address does not exist.' },
  complaint: { word: 'Complaint', color: 'orange', about: 'The recipient reported mail as spam.' },
  manual: { word: 'Manual', color: 'gray', about: 'Added manually.' },
  unsubscribe: { word: 'Unsubscribed', color: 'blue', about: 'The recipient unsubscribed.' },
}

export const TYPE_WORDS = Object.fromEntries(
  Object.entries(TYPES).map(([type, { word }]) => [type, word]),
) as Readonly<Record<SuppressionType, string>>

export const TYPE_CHOICES = Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label }))
