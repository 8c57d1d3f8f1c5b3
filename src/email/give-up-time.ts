import type { Email } from './fields.ts'

/** The facts about an email that decide when it is given up, whatever its attempts brought. */
export type EndFacts = Pick<Email, 'createdAt' | 'scheduledAt' | 'giveUpAt'>

/**
 * Unix ms from which no attempt begins: `deliverWithin` ms (POSTROAD_DELIVER_WITHIN) after the email was accepted or
 * became due, or earlier if its sender wants that. Null: the schedule alone decides.
 */
export function endOf(
  { createdAt, scheduledAt, giveUpAt }: EndFacts,
  deliverWithin: number | null,
): number | null {
  if (deliverWithin === null) return giveUpAt
  return Math.min((scheduledAt ?? createdAt) + deliverWithin, giveUpAt ?? Number.POSITIVE_INFINITY)
}
