import type { SuppressionType } from '../../api/suppressions.ts'

/** Why an address is on the list, for people. */
export const TYPES: Readonly<Record<SuppressionType, { word: string; color: string; about: string }>> = {
  bounce: { word: 'Bounce', color: 'red', about: 'Its server said that the address does not exist.' },
  complaint: { word: 'Complaint', color: 'orange', about: 'Its reader has reported mail as spam.' },
  manual: { word: 'Manual', color: 'gray', about: 'Added by hand.' },
  unsubscribe: { word: 'Unsubscribed', color: 'blue', about: 'Its reader wants no more mail.' },
}

export const TYPE_CHOICES = Object.entries(TYPES).map(([value, { word }]) => ({ value, label: word }))
