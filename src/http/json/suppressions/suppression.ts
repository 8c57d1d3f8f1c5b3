/** A suppressed address in this dialect. */
import type { Static } from 'typebox'
import { SUPPRESSION_TYPES, type Suppression, type SuppressionType } from '../../../email/suppression.ts'
import { object } from '../../object-schema.ts'
import { changedSchema } from '../schemas.ts'
import { timestamp } from '../timestamp.ts'

/** Clients expect exactly these origins. There is none for unsubscriptions, which are shown as `manual`. */
export const ORIGINS = ['bounce', 'complaint', 'manual'] as const
type OriginName = (typeof ORIGINS)[number]

const ORIGIN_OF: Readonly<Record<SuppressionType, OriginName>> = {
  bounce: 'bounce',
  complaint: 'complaint',
  manual: 'manual',
  unsubscribe: 'manual',
}

export function typesOf(origin: OriginName): SuppressionType[] {
  return SUPPRESSION_TYPES.filter((type) => ORIGIN_OF[type] === origin)
}

const FACTS = {
  id: { type: 'string' },
  email: { type: 'string' },
  origin: { enum: ORIGINS },
  source_id: {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description: 'The id of the email that caused it.',
  },
  created_at: { type: 'string' },
} as const

/** An item of a list. */
export const SUPPRESSION = object(FACTS)

export const ONE_SUPPRESSION = object({ object: { const: 'suppression' }, ...FACTS })

export const ADDED = changedSchema('suppression')

export function suppressionJson(suppression: Suppression): Static<typeof SUPPRESSION> {
  const { id, address, type, emailId, createdAt } = suppression
  return { id, email: address, origin: ORIGIN_OF[type], source_id: emailId, created_at: timestamp(createdAt) }
}
