/** The lists of addresses that this dialect shows for a domain. Each shows some types of the domain's suppressions. */
import { SUPPRESSION_TYPES, type Suppression, type SuppressionType } from '../../../email/suppression.ts'
import { utcDate } from '../../../ingress/message-form/date.ts'

export interface SuppressionList {
  /** The name in paths. */
  name: 'bounces' | 'unsubscribes' | 'complaints'
  /** The type of entries added to the list. */
  type: SuppressionType
  /** The types of entries shown on the list, and removed from it. */
  types: readonly SuppressionType[]
  missing: string
  removed: string
  cleared: string
  /** The message when several entries were added. */
  several: string
}

/** An address that was added manually counts as bounced. */
const SHOWN_IN: Readonly<Record<SuppressionType, SuppressionList['name']>> = {
  bounce: 'bounces',
  complaint: 'complaints',
  manual: 'bounces',
  unsubscribe: 'unsubscribes',
}

const typesIn = (list: SuppressionList['name']) => SUPPRESSION_TYPES.filter((type) => SHOWN_IN[type] === list)

export const LISTS: readonly SuppressionList[] = [
  {
    name: 'bounces',
    type: 'bounce',
    types: typesIn('bounces'),
    missing: 'Address not found in bounces table',
    removed: 'Bounced address has been removed',
    cleared: 'Bounced addresses for this domain have been removed',
    several: 'addresses have been added to the bounces table',
  },
  {
    name: 'unsubscribes',
    type: 'unsubscribe',
    types: typesIn('unsubscribes'),
    missing: 'Address not found in unsubscribers table',
    removed: 'Unsubscribe event has been removed',
    cleared: 'Unsubscribe addresses for this domain have been removed',
    several: 'addresses have been added to the unsubscribes table',
  },
  {
    name: 'complaints',
    type: 'complaint',
    types: typesIn('complaints'),
    missing: 'No spam complaints found for this address',
    removed: 'Spam complaint has been removed',
    cleared: 'Complaint addresses for this domain have been removed',
    several: 'complaint addresses have been added to the complaints table',
  },
]

export const ENTRY = {
  type: 'object',
  required: ['address', 'created_at'],
  properties: {
    address: { type: 'string' },
    created_at: { type: 'string' },
    code: { type: 'string', description: 'For a bounce: the SMTP reply code of the server.' },
    error: { type: 'string' },
    tags: {
      type: 'array',
      items: { type: 'string' },
      description: 'For an unsubscription: the tags of the mail it applies to; `*`: all mail.',
    },
  },
} as const

/** Shown for a bounce without a known code. */
const UNKNOWN_CODE = 550

export function listEntryJson(
  { name }: SuppressionList,
  { address, createdAt, code, reason, tags }: Suppression,
) {
  const entry = { address, created_at: utcDate(createdAt) }
  if (name === 'bounces') return { ...entry, code: String(code ?? UNKNOWN_CODE), error: reason }
  return name === 'unsubscribes' ? { ...entry, tags: tags ?? ['*'] } : entry
}
