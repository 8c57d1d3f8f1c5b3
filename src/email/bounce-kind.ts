/** Whether a bounce proves an address dead. It decides the words of both dialects, and how the bounce is counted. */
import type { BounceCategory } from '../mail/reply/category.ts'
import type { Classification } from '../mail/reply/classify.ts'

/** `undetermined`: the refusal is about the address, or gives no reason, and proves nothing. */
export type BounceKind = 'permanent' | 'transient' | 'undetermined'

const UNDETERMINED: ReadonlySet<BounceCategory> = new Set([
  'address_unknown',
  'mailbox_disabled',
  'domain_unknown',
  'no_mail_accepted',
  'other',
])

export function bounceKind({ category, permanent }: Classification): BounceKind {
  if (permanent) return 'permanent'
  return UNDETERMINED.has(category) ? 'undetermined' : 'transient'
}

/**
 * The type under which a bounce is counted in addition to `bounced`; null: there is none. Bounces from before kinds
 * were counted are therefore undetermined.
 */
export function countedBounce(kind: BounceKind): 'bounced_permanent' | 'bounced_transient' | null {
  return kind === 'undetermined' ? null : `bounced_${kind}`
}
