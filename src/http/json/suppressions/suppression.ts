/** An address on the suppression list as this dialect shows it. */
import type { Static } from 'typebox'
import type { Suppression, SuppressionType } from '../../../email/suppression.ts'
import { timestamp } from '../email.ts'
import { changedSchema } from '../schemas.ts'

/** The words of its clients, a closed list: who unsubscribed is there by hand, his own. */
export const ORIGINS = ['bounce', 'complaint', 'manual'] as const
type Origin = (typeof ORIGINS)[number]

export const TYPES: Readonly<Record<Origin, readonly SuppressionType[]>> = {
  bounce: ['bounce'],
  complaint: ['complaint'],
  manual: ['manual', 'unsubscribe'],
}

const FACTS = {
  id: { type: 'string' },
  email: { type: 'string' },
  origin: { enum: ORIGINS },
  source_id: {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description: 'The id of the email that it came from.',
  },
  created_at: { type: 'string' },
} as const
const REQUIRED = ['id', 'email', 'origin', 'source_id', 'created_at'] as const

/** In lists. */
export const SUPPRESSION = {
  type: 'object',
  additionalProperties: false,
  required: REQUIRED,
  properties: FACTS,
} as const

export const ONE_SUPPRESSION = {
  type: 'object',
  additionalProperties: false,
  required: ['object', ...REQUIRED],
  properties: { object: { const: 'suppression' }, ...FACTS },
} as const

export const ADDED = changedSchema('suppression')

export function shownSuppression(suppression: Suppression): Static<typeof SUPPRESSION> {
  const { id, address, type, emailId, createdAt } = suppression
  const origin = type === 'unsubscribe' ? 'manual' : type
  return { id, email: address, origin, source_id: emailId, created_at: timestamp(createdAt) }
}
